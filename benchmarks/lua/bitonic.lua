-- Bitonic sorting of blocks of 64 integers, as programs/bitonic.str. Argument: groups of 64 blocks.
local groups = tonumber(arg[1])
local N, BLOCKS = 64, 64

local state = 1
local function source()
    state = (state * 1103515245 + 12345) & 0xFFFFFFFF
    return (state >> 12) & 0xFFFF
end

local x = {}

local function merge(from, n, up)
    local m = n
    while m > 1 do
        local half = m // 2
        for start = from, from + n - 1, m do
            for i = start, start + half - 1 do
                local j = i + half
                local a, b = x[i], x[j]
                if (a <= b) ~= up then x[i], x[j] = b, a end
            end
        end
        m = half
    end
end

local function sort(from, n, up)
    if n > 2 then
        sort(from, n // 2, true)
        sort(from + n // 2, n // 2, false)
    end
    merge(from, n, up)
end

for _ = 1, groups do
    local sum = 0
    for _ = 1, BLOCKS do
        for i = 1, N do x[i] = source() end
        sort(1, N, true)
        for i = 1, N do sum = (sum * 31 + x[i] * i) & 0xFFFFFFFF end
    end
    print(sum < 0x80000000 and sum or sum - 0x100000000)
end
