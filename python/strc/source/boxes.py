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

_PEAKS_OF_MAPS = """
// Of each map of a box, interpolated by cubes to the size of that, the greatest element: where it is in the picture, and its value; there are n boxes at most.
tensor->tensor filter NAME(int n, int points, int high, int wide) {
    // The cubic convolution of Keys with -0.75, of a distance up to 1, and of one up to 2.
    tensor near(tensor x) { return (1.25 * x - 2.25) * x * x + 1; }
    tensor far(tensor x) { return ((-0.75 * x + 3.75) * x - 6) * x + 3; }
    tensor element(tensor place, tensor weight, int from) {
        tensor number = (float) arange(from);
        return where(min(max(place, 0), from - 1) == unsqueeze(number, 0), weight, 0.0);
    }
    // What each of `from` elements adds to each of `count`.
    tensor cubic(int from, int count) {
        tensor place = unsqueeze(((float) arange(count) + 0.5) * ((float) from / count) - 0.5, 1);
        tensor first = floor(place);
        tensor part = place - first;
        return element(first - 1, far(part + 1), from) + element(first, near(part), from)
            + element(first + 1, near(1 - part), from) + element(first + 2, far(2 - part), from);
    }
    work pop 2 push 2 {
        tensor maps = pop();
        tensor boxes = pop();
        int count = size(maps, 0);
        float[n][points][3] places;
        float[n][points] scores;
        for (int box = 0; box < count; box++) {
            float width = max(boxes[box, 2] - boxes[box, 0], 1);
            float height = max(boxes[box, 3] - boxes[box, 1], 1);
            int columns = (int) ceil(width);
            int rows = (int) ceil(height);
            tensor map = squeeze(narrow(maps, 0, box, 1), 0);
            tensor whole = matmul(cubic(high, rows), matmul(map, transpose(cubic(wide, columns), 0, 1)));
            tensor best = argmax(reshape(whole, points, rows * columns), 1);
            for (int point = 0; point < points; point++) {
                int place = (int) best[point];
                int column = place % columns;
                int row = place / columns;
                places[box][point][0] = (column + 0.5) * (width / columns) + boxes[box, 0];
                places[box][point][1] = (row + 0.5) * (height / rows) + boxes[box, 1];
                places[box][point][2] = 1;
                scores[box][point] = whole[point, row, column];
            }
        }
        tensor all = places;
        tensor values = scores;
        push(narrow(all, 0, 0, count));
        push(narrow(values, 0, 0, count));
    }
}"""

BOXES = {
    "nms_of_classes": StreamFilter("NmsOfClasses", ("n", "most"), _NMS_OF_CLASSES),
    "peaks_of_maps": StreamFilter("PeaksOfMaps", ("n", "points", "high", "wide"), _PEAKS_OF_MAPS),
}
