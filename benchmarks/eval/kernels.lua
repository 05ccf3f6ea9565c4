-- The loops of kernels.h in Lua: `name seconds` a line.

local clock = os.clock
local kernels = {}

function kernels.fir()
  local h, window, output = {}, {}, {}
  for i = 0, 63 do h[i] = 0.0 end
  for i = 0, 200063 do window[i] = 0.0 end
  local head, tail = 0, 0
  for n = 1, 200000 do
    local sum = 0.0
    for i = 0, 63 do sum = sum + window[head + i] * h[i] end
    output[tail] = sum
    tail = tail + 1
    head = head + 1
  end
end

function kernels.matmul()
  local a, b, c = {}, {}, {}
  for i = 0, 31 do
    a[i], b[i], c[i] = {}, {}, {}
    for j = 0, 31 do a[i][j], b[i][j], c[i][j] = 0.0, 0.0, 0.0 end
  end
  for n = 1, 400 do
    for i = 0, 31 do
      for j = 0, 31 do
        local sum = 0.0
        for k = 0, 31 do sum = sum + a[i][k] * b[k][j] end
        c[i][j] = sum
      end
    end
  end
end

function kernels.rounds()
  local box = {}
  for i = 0, 63 do box[i] = 0 end
  for n = 1, 200000 do
    local x, y = 0, 0
    for r = 0, 63 do
      y = y ~ box[(x ~ r) & 63]
      x = ((((x << 1) | ((x >> 27) & 31)) & 0xffffffff) + y) & 0xffffffff
    end
  end
end

function kernels.sort()
  for n = 1, 4000 do
    local a = {}
    for i = 0, 63 do a[i] = i * 7919 % 101 end
    for i = 0, 62 do
      for j = 0, 63 - i - 1 do
        if a[j] > a[j + 1] then
          local t = a[j]
          a[j] = a[j + 1]
          a[j + 1] = t
        end
      end
    end
  end
end

local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

function kernels.fib()
  for n = 1, 50 do fib(22) end
end

local function gain(input, output, at, k)
  output[at] = input[at] * k
end

function kernels.firings()
  local input, output = {}, {}
  for n = 1, 5000000 do
    input[1] = 0.0
    gain(input, output, 1, 0.5)
  end
end

kernels["while"] = function()
  for n = 1, 200000 do
    local x, i = 1.0e9, 0
    while x > 2.0 and i < 64 do
      x = (x + 1.0e9 / x) * 0.5
      i = i + 1
    end
  end
end

for _, name in ipairs { "fir", "matmul", "rounds", "sort", "fib", "firings", "while" } do
  if #arg == 0 or name == arg[1] then
    local begin = clock()
    kernels[name]()
    print(string.format("%s %.4f", name, clock() - begin))
  end
end
