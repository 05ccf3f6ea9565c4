-- FM radio with a ten-band equaliser, as programs/fm_radio.str. Argument: blocks of 2000 samples.
local blocks = tonumber(arg[1])
local pi, sin, cos, atan, abs = math.pi, math.sin, math.cos, math.atan, math.abs
local TAPS, BLOCK, BANDS = 64, 2000, 10

local state, value, step = 1, 0, 37
local function source()
    value = value + step
    if value > 1000 or value < -1000 then
        state = (state * 1103515245 + 12345) & 0xFFFFFFFF
        local size = 20 + ((state >> 16) & 63)
        step = value > 0 and -size or size
    end
    return value / 1000
end

local function coefficients(rate, cutoff)
    local h = {}
    for i = 0, TAPS - 1 do
        local m = i - (TAPS - 1) / 2
        h[i + 1] = sin(2 * pi * cutoff / rate * m) / (pi * m) * (0.54 - 0.46 * cos(2 * pi * i / (TAPS - 1)))
    end
    return h
end

local first = coefficients(250000, 10800)
local high, low, gains = {}, {}, {}
for band = 1, BANDS do
    high[band] = coefficients(62500, 55 * 2 ^ band)
    low[band] = coefficients(62500, 55 * 2 ^ (band - 1))
    gains[band] = 1 + 0.1 * (band - 1)
end

-- Buffers hold what a block needs; what the next block needs again is moved to the front.
local radio, kept_radio = {}, 0
local channel, kept_channel = {}, 0
local sound, kept_sound = {}, 0
local gain = 62500 / (10000 * pi)

local function low_pass(samples)      -- appends to channel
    while kept_channel < samples do
        for i = kept_radio + 1, TAPS do radio[i] = source() end
        local sum = 0.0
        for i = 1, TAPS do sum = sum + radio[i] * first[i] end
        kept_channel = kept_channel + 1
        channel[kept_channel] = sum
        for i = 1, TAPS - 4 do radio[i] = radio[i + 4] end
        kept_radio = TAPS - 4
    end
end

for _ = 1, blocks do
    local need = BLOCK + TAPS - 1
    low_pass(need - kept_sound + 1)
    local used = need - kept_sound
    for i = 1, used do sound[kept_sound + i] = gain * atan(channel[i] * channel[i + 1]) end
    channel[1] = channel[used + 1]
    kept_channel = 1

    local total = 0.0
    for n = 0, BLOCK - 1 do
        local mixed = 0.0
        for band = 1, BANDS do
            local h, l = high[band], low[band]
            local a, b = 0.0, 0.0
            for i = 1, TAPS do a = a + sound[n + i] * h[i] end
            for i = 1, TAPS do b = b + sound[n + i] * l[i] end
            mixed = mixed + gains[band] * (a - b)
        end
        total = total + abs(mixed)
    end
    for i = 1, TAPS - 1 do sound[i] = sound[BLOCK + i] end
    kept_sound = TAPS - 1
    print(string.format("%.7g", total))
end
