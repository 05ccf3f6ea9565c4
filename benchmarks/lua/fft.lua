-- Fourier transforms of 512 complex points, as programs/fft.str. Argument: blocks.
local blocks = tonumber(arg[1])
local pi, sin, cos = math.pi, math.sin, math.cos
local N = 512

local state = 1
local function source()
    state = (state * 1103515245 + 12345) & 0xFFFFFFFF
    return ((state >> 16) & 1023) - 512.0
end

local from = {}
for i = 0, N - 1 do
    local reversed, rest, m = 0, i, 1
    while m < N do reversed, rest, m = 2 * reversed + rest % 2, rest // 2, m * 2 end
    from[i + 1] = reversed + 1
end

local stages = {}
local m = 2
while m <= N do
    local wr, wi = {}, {}
    for k = 0, m // 2 - 1 do wr[k + 1], wi[k + 1] = cos(2 * pi * k / m), -sin(2 * pi * k / m) end
    stages[#stages + 1] = {m // 2, wr, wi}
    m = m * 2
end

local xr, xi, yr, yi = {}, {}, {}, {}
for i = 1, N do xr[i], xi[i], yr[i], yi[i] = 0.0, 0.0, 0.0, 0.0 end

for block = 1, blocks do
    for i = 1, N do xr[i] = source() xi[i] = source() end
    for i = 1, N do
        local j = from[i]
        yr[i], yi[i] = xr[j], xi[j]
    end
    for s = 1, #stages do
        local stage = stages[s]
        local half, wr, wi = stage[1], stage[2], stage[3]
        for start = 0, N - 1, 2 * half do
            for k = 1, half do
                local i = start + k
                local j = i + half
                local ar, ai, br, bi = yr[i], yi[i], yr[j], yi[j]
                local cr, ci = wr[k], wi[k]
                local tr, ti = cr * br - ci * bi, cr * bi + ci * br
                yr[i], yi[i] = ar + tr, ai + ti
                yr[j], yi[j] = ar - tr, ai - ti
            end
        end
    end
    if block % 16 == 0 then
        local energy = 0.0
        for k = 1, 8 do energy = energy + yr[k] * yr[k] + yi[k] * yi[k] end
        print(string.format("%.7g", energy))
    end
end
