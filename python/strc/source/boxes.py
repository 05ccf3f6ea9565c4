"""Filters of boxes, which are written into the program where the importer needs them."""

from __future__ import annotations

from .floats import StreamFilter

_NMS_OF_CLASSES = """
// The places of those boxes (x1, y1, x2, y2) that no box of their class with a higher score overlaps by more than `most` of both
// together, from the highest score on; there are n at most.
tensor->tensor filter NAME(int n, double most) {
    work pop 3 push 1 {
        tensor box = pop();
        tensor rest = pop();
        tensor<long> classes = long(pop());
        int all = size(box, 0);
        int[n] kept;
        int count = 0;
        if (all > 0) {
            // NaN is the greatest score; what is not there any more has none, which is less than all scores.
            double none = -1.0 / 0.0;
            rest = where(rest == rest, max(rest, -3.4028234663852886e38), 1.0 / 0.0);
            tensor left = narrow(box, 1, 0, 1);
            tensor top = narrow(box, 1, 1, 1);
            tensor right = narrow(box, 1, 2, 1);
            tensor bottom = narrow(box, 1, 3, 1);
            tensor area = (right - left) * (bottom - top);
            int best = (int) item(argmax(rest));
            while (rest[best] > none) {
                kept[count++] = best;
                tensor width = relu(min(right, right[best, 0]) - max(left, left[best, 0]));
                tensor height = relu(min(bottom, bottom[best, 0]) - max(top, top[best, 0]));
                tensor both = width * height;
                tensor overlap = reshape(both / (area + area[best, 0] - both), all);
                rest = where((overlap > most) * (classes == classes[best]) + (arange(all) == best) > 0, none, rest);
                best = (int) item(argmax(rest));
            }
        }
        tensor places = kept;
        push(long(narrow(places, 0, 0, count)));
    }
}"""

BOXES = {"nms_of_classes": StreamFilter("NmsOfClasses", ("n", "most"), _NMS_OF_CLASSES)}
