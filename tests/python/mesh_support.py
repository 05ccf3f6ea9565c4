"""Processes of torch.distributed on this machine that all do the same, and say what came of it."""

import os
import traceback

import torch
import torch.multiprocessing


def process(rank, size, store, results, work, args):
    """One of them: `work(rank, size, *args)`, whose result is put where the test finds it."""
    import torch.distributed as distributed

    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=size)
    try:
        found = work(rank, size, *args)
    except Exception as error:
        found = f"{type(error).__name__}: {error}" if type(error).__module__.startswith("strc") else traceback.format_exc()
    torch.save(found, os.path.join(results, f"{rank}.pt"))
    os._exit(0)  # nobody waits for a process that is lost


def together(folder, size, work, *args):
    """What `work` gives in each of so many processes, by rank; None of one that died, its exception as a text if it raised one."""
    store, results = folder / "store", folder / "results"
    results.mkdir()
    spawned = torch.multiprocessing.spawn(process, (size, str(store), str(results), work, args), nprocs=size, join=False)
    for each in spawned.processes:
        each.join(300)
        if each.is_alive():
            each.kill()
            raise AssertionError("a process goes on for ever")
    return [torch.load(path) if (path := results / f"{rank}.pt").exists() else None for rank in range(size)]
