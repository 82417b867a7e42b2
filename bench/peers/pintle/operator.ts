/** The Memcached operator on pintle, with the defaults of run(). */
import { run } from "pintle";
import { deferOptimization } from "pintle/internal/process";
import { memcached } from "./memcached.ts";

// Images built by `pintle build` do the same.
deferOptimization();
await run({
  controllers: [
    {
      ...memcached,
      reconcile(context) {
        const { name, generation } = context.object.metadata;
        // The latency benchmark reads when a change reaches the reconciler.
        if (generation > 1)
          process.stdout.write(`${name} ${generation} ${Math.round((performance.timeOrigin + performance.now()) * 1000)}\n`);
        return memcached.reconcile(context);
      },
    },
  ],
});
