-- Products of matrices of 48 x 48, as programs/matmul.str. Argument: products.
local products = tonumber(arg[1])
local N = 48

local state = 1
local function source()
    state = (state * 1103515245 + 12345) & 0xFFFFFFFF
    return ((state >> 16) & 255) / 16 - 8
end

local a, b, t, c = {}, {}, {}, {}
for _ = 1, products do
    for i = 1, N * N do a[i] = source() end
    for i = 1, N * N do b[i] = source() end
    local at = 0
    for i = 1, N do
        for j = 0, N - 1 do
            at = at + 1
            t[at] = b[j * N + i]
        end
    end
    for i = 0, N - 1 do
        for j = 0, N - 1 do
            local sum = 0.0
            local row, column = i * N, j * N
            for k = 1, N do sum = sum + a[row + k] * t[column + k] end
            c[row + j + 1] = sum
        end
    end
    local trace, sum = 0.0, 0.0
    for i = 1, N do
        for j = 1, N do
            local x = c[(i - 1) * N + j]
            sum = sum + x
            if i == j then trace = trace + x end
        end
    end
    print(string.format("%.6f %.6f", trace, sum))
end
