"""Filters of boxes, which are written into the program where the importer needs them."""

from __future__ import annotations

from .floats import StreamFilter

_NMS = """
// The places of those boxes (x1, y1, x2, y2) that no box with a higher score overlaps by more than `most` of both together, from
// the highest score on.
tensor->tensor filter NAME(int n, double most) {
    float area(float left, float top, float right, float bottom) {
        return (right - left) * (bottom - top);
    }
    work pop 2 push 1 {
        tensor<float>[n, 4] box = pop();
        tensor<float>[n] score = pop();
        boolean[n] isOut;
        int[n] kept;
        int count = 0;
        for (int k = 0; k < n; k++) isOut[k] = false;
        for (int round = 0; round < n; round++) {
            int best = -1;
            for (int k = 0; k < n; k++)
                if (!isOut[k] && (best < 0 || score[k] > score[best])) best = k;
            if (best >= 0) {
                kept[count++] = best;
                isOut[best] = true;
                float own = area(box[best, 0], box[best, 1], box[best, 2], box[best, 3]);
                for (int k = 0; k < n; k++) {
                    float width = min(box[best, 2], box[k, 2]) - max(box[best, 0], box[k, 0]);
                    float height = min(box[best, 3], box[k, 3]) - max(box[best, 1], box[k, 1]);
                    float both = max(width, 0.0) * max(height, 0.0);
                    if (both / (own + area(box[k, 0], box[k, 1], box[k, 2], box[k, 3]) - both) > most) isOut[k] = true;
                }
            }
        }
        tensor places = kept;
        push(long(narrow(places, 0, 0, count)));
    }
}"""

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

BOXES = {"nms": StreamFilter("Nms", ("n", "most"), _NMS), "nms_of_classes": StreamFilter("NmsOfClasses", ("n", "most"), _NMS_OF_CLASSES)}
