"""What the wheel has for Python: programs that are called."""

import numpy
import strc

half = strc.compile("float->float filter Half { work pop 1 push 1 { push(pop() / 2); } }", "Half")
assert half(numpy.ones(3, "f4")).tolist() == [0.5, 0.5, 0.5]
assert strc.__version__
