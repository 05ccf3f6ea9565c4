#pragma once
/// The pass `image-blocking`: a body that deals with each image of a batch alone does all of its operations with the first
/// image, then with the next one, so what it computes in between is as large as for one image and stays in the cache.
/// A batch lies in memory as its images do one behind the other, in both layouts.

#include <cstdint>

#include "elab/elaborate.h"
#include "target/model.h"
#include "tensor/expand.h"

namespace strc::opt {

/// Images that the body would best do in turn; 1: it would not. Large weights are rather read once for all images, and a single
/// operation has nothing in between.
std::int64_t imagesToBlock(const elab::Kernel&, types::TypeTable&, const target::Model&);

/// The items of a channel with `images` of a batch each as those images.
tensor::Sequence imagesOf(const tensor::Sequence& batches, std::int64_t images, types::TypeTable&);
/// Before the operations become loops: the body no longer says how large a batch is.
void forgetBatch(ir::Body&, types::TypeTable&);
/// Afterwards: what was done with one image is done with so many. False: the body is not one that pops one item and pushes one.
bool blockImages(ir::StreamCode&, std::int64_t images, types::TypeTable&);

}  // namespace strc::opt
