// Code of filters behind each other that fire in vectors (vector_pipelines.h).

#include "codegen/detail/rings.h"
#include "codegen/detail/vector_pipelines.h"

namespace strc::codegen {
namespace {

using graph::EdgeId;
using Member = VectorPipeline::Member;

class PipelineEmitter {
public:
    PipelineEmitter(const PhaseTools& tools, const VectorPipeline& all)
        : t(tools), m(tools.m), b(tools.b), pipeline(all), width(all.width) {}

    void emit() {
        makeBuffers();
        const std::int64_t strip = pipeline.strip, trips = pipeline.trips;
        if (!pipeline.looksBack()) {
            emitLoop(b, (trips + strip - 1) / strip, [&](llvm::Value* group) {
                emitPoll(m, b, env());
                // The last one may do some iterations again.
                fireStrip(b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, times(group, strip),
                                                  number(trips - strip)));
            });
            return;
        }
        fillHistories(number(0));
        emitLoop(b, trips / strip, [&](llvm::Value* group) {
            emitPoll(m, b, env());
            fireStrip(times(group, strip));
        });
        llvm::Value* done = number(trips / strip * strip);
        spillHistories(done);
        fireOneByOne(done, trips % strip);
    }

private:
    // ---- places

    llvm::Value* env() { return t.function->getArg(0); }
    llvm::Value* number(std::int64_t value) {
        return b.getInt64(static_cast<std::uint64_t>(value));
    }
    llvm::Value* times(llvm::Value* value, std::int64_t factor) {
        return b.CreateMul(value, number(factor));
    }
    llvm::Value* plus(llvm::Value* value, llvm::Value* other) { return b.CreateAdd(value, other); }

    const graph::Rates& ratesOf(const Member& member) const {
        return m.plan.program->graph.nodes[member.step->node].work;
    }

    llvm::Value* further(llvm::Value* from, llvm::Value* items, const Type* type) {
        return b.CreateInBoundsGEP(m.i8(), from, times(items, types::sizeOf(type)));
    }

    llvm::Value* inputItem(const Member& member, llvm::Value* iteration) {
        const plan::Step& step = *member.step;
        return t.item(m.plan.inputsOf(step.node)[0], step.inputs[0], iteration,
                      ratesOf(member).pop.max * member.repeat);
    }

    llvm::Value* outputItem(const Member& member, llvm::Value* iteration) {
        const plan::Step& step = *member.step;
        return t.item(m.plan.outputsOf(step.node)[0], step.outputs[0], iteration,
                      ratesOf(member).push.max * member.repeat);
    }

    // ---- columns

    /// Where a member takes its items from; of the first one, what is transposed before each vector.
    void makeBuffers() {
        const bool looksBack = pipeline.looksBack();
        for (std::size_t k = 0; k < pipeline.members.size(); ++k) {
            const Member& member = pipeline.members[k];
            const bool isOwn = looksBack && k > 0;
            if (!isOwn && k > 1) {
                buffers.push_back(buffers[k - 2]);
                continue;
            }
            const std::int64_t bytes = isOwn ? pipeline.columnLength(member) *
                                                   ratesOf(member).pop.max * member.repeat *
                                                   types::sizeOf(member.functions->kernel->input)
                                             : pipeline.bytes;
            buffers.push_back(t.variable(static_cast<std::uint64_t>(bytes)));
        }
        last = buffers[looksBack ? 0 : pipeline.members.size() % 2];
    }

    /// What the columns before a member are made of, and how many there are for one firing.
    const Type* partBefore(const Member& member) const {
        return parts.typeOf(m.types, member.functions->kernel->input);
    }
    std::int64_t columnsBefore(const Member& member) const {
        return ratesOf(member).pop.max *
               parts.countOf(member.functions->kernel->input);
    }

    /// Row `row` of the first column before a member.
    llvm::Value* columnAt(std::size_t k, llvm::Value* row) {
        return further(buffers[k], row, partBefore(pipeline.members[k]));
    }

    /// What a member looks back at when iteration `from` begins, from its tape to its columns, or back.
    void moveHistories(llvm::Value* from, bool toColumns) {
        for (std::size_t k = 1; k < pipeline.members.size(); ++k) {
            const Member& member = pipeline.members[k];
            if (member.history == 0) continue;
            const Type* type = partBefore(member);
            const std::int64_t columns = columnsBefore(member);
            llvm::Value* tape = inputItem(member, from);
            llvm::Value* first = number(pipeline.firstRow(member) - member.history);
            emitLoop(b, member.history, [&](llvm::Value* row) {
                emitLoop(b, columns, [&](llvm::Value* column) {
                    llvm::Value* place =
                        plus(times(column, pipeline.columnLength(member)), plus(first, row));
                    llvm::Value* inColumns = columnAt(k, place);
                    llvm::Value* onTape = further(tape, plus(times(row, columns), column), type);
                    copy(toColumns ? inColumns : onTape, toColumns ? onTape : inColumns,
                         types::sizeOf(type));
                });
            });
        }
    }

    void fillHistories(llvm::Value* from) { moveHistories(from, true); }
    void spillHistories(llvm::Value* from) { moveHistories(from, false); }

    /// The end of a strip is what the next one looks back at.
    void advanceHistories() {
        for (std::size_t k = 1; k < pipeline.members.size(); ++k) {
            const Member& member = pipeline.members[k];
            if (member.history == 0) continue;
            const std::int64_t first = pipeline.firstRow(member) - member.history;
            emitLoop(b, columnsBefore(member), [&](llvm::Value* column) {
                llvm::Value* begin = times(column, pipeline.columnLength(member));
                copy(columnAt(k, plus(begin, number(first))),
                     columnAt(k, plus(begin, number(first + pipeline.strip))),
                     member.history * types::sizeOf(partBefore(member)));
            });
        }
    }

    void copy(llvm::Value* to, llvm::Value* from, std::int64_t bytes) {
        b.CreateMemMove(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), number(bytes));
    }

    // ---- firings

    /// Member by member. Where a vector gives up, all of the strip are done one by one.
    void fireStrip(llvm::Value* start) {
        one = llvm::BasicBlock::Create(m.context, "one", t.function);
        auto* after = llvm::BasicBlock::Create(m.context, "after", t.function);
        for (std::size_t k = 0; k < pipeline.members.size(); ++k)
            emitLoop(b, pipeline.strip / width, [&](llvm::Value* vector) {
                llvm::Value* row = times(vector, width);
                fireVector(k, row, plus(start, row));
            });
        if (pipeline.looksBack()) advanceHistories();
        b.CreateBr(after);
        b.SetInsertPoint(one);
        if (pipeline.looksBack()) spillHistories(start);
        fireOneByOne(start, pipeline.strip);
        if (pipeline.looksBack()) fillHistories(plus(start, number(pipeline.strip)));
        b.CreateBr(after);
        b.SetInsertPoint(after);
    }

    void fireVector(std::size_t k, llvm::Value* row, llvm::Value* iteration) {
        const Member& member = pipeline.members[k];
        const graph::Rates& rates = ratesOf(member);
        const bool isLast = k + 1 == pipeline.members.size();
        const bool writes = isLast && member.repeat == 1;
        VariantShape shape{writes ? VectorVariant::Transposed : VectorVariant::Soa,
                           static_cast<unsigned>(width)};
        llvm::Value *in = nullptr, *out = nullptr;
        if (k == 0) {
            in = transposedInput(member, iteration);
        } else {
            shape.inLength = pipeline.columnLength(member);
            in = columnAt(k, plus(row, number(pipeline.firstRow(member) - member.history)));
        }
        if (isLast) {
            out = writes ? outputItem(member, iteration) : last;
        } else {
            const Member& next = pipeline.members[k + 1];
            shape.outLength = pipeline.columnLength(next);
            out = columnAt(k + 1, plus(row, number(pipeline.firstRow(next))));
        }
        const std::int64_t inColumn = shape.inLength != 0 ? shape.inLength : width,
                           outColumn = shape.outLength != 0 ? shape.outLength : width;
        const elab::Kernel& kernel = *member.functions->kernel;
        emitLoop(b, member.repeat, [&](llvm::Value* firing) {
            auto* fine = llvm::BasicBlock::Create(m.context, "fine", t.function);
            llvm::Value* done = call(
                member, shape, further(in, times(firing, rates.pop.max * inColumn), kernel.input),
                further(out, times(firing, rates.push.max * outColumn), kernel.output));
            b.CreateCondBr(done, fine, one, llvm::MDBuilder(m.context).createLikelyBranchWeights());
            b.SetInsertPoint(fine);
        });
        if (isLast && !writes)
            call(member, {VectorVariant::TransposeBack, shape.width, member.repeat}, out,
                 outputItem(member, iteration));
    }

    llvm::Value* transposedInput(const Member& first, llvm::Value* iteration) {
        llvm::Value* in = inputItem(first, iteration);
        const bool isComplex = first.functions->kernel->input->is(types::TypeKind::Complex);
        if (ratesOf(first).pop.max * first.repeat == 1 && !isComplex) return in;
        call(first, {VectorVariant::Transpose, static_cast<unsigned>(width), first.repeat}, in,
             buffers[0]);
        return buffers[0];
    }

    llvm::Value* call(const Member& member, VariantShape shape, llvm::Value* in, llvm::Value* out) {
        shape.partsComplex = parts.partsComplex;
        return b.CreateCall(m.variant(*member.functions, shape),
                            {env(), t.fieldsOf(member.step->node), in, out,
                             b.getInt32(member.step->node), b.getInt32(0)});
    }

    void fireOneByOne(llvm::Value* start, std::int64_t iterations) {
        if (iterations == 0) return;
        for (const Member& member : pipeline.members) {
            llvm::Value* first = times(start, member.repeat);
            emitLoop(b, iterations * member.repeat, [&](llvm::Value* firing) {
                emitPoll(m, b, env());
                t.callWork(member.functions->work, *member.step, plus(first, firing));
            });
        }
    }

    const PhaseTools& t;
    ModuleBuilder& m;
    llvm::IRBuilder<>& b;
    const VectorPipeline& pipeline;
    const std::int64_t width;
    const vector::ItemParts parts{true};
    std::vector<llvm::Value*> buffers;  ///< by member, before it
    llvm::Value* last =
        nullptr;  ///< what the last one leaves, if its iterations are several firings
    llvm::BasicBlock* one = nullptr;  ///< where a strip is done again that has given up
};

}  // namespace

void emitPipeline(const PhaseTools& tools, const VectorPipeline& pipeline) {
    PipelineEmitter(tools, pipeline).emit();
}

}  // namespace strc::codegen
