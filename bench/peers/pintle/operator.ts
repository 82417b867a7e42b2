/** Our operator, with every default, in a process of its own. */
import { run } from "pintle";
import { memcached } from "./memcached.ts";

await run({
  controllers: [
    {
      ...memcached,
      reconcile(context) {
        const { name, generation } = context.object.metadata;
        // The benchmark changes objects, and asks when that was noticed.
        if (generation > 1)
          process.stdout.write(`${name} ${generation} ${Math.round((performance.timeOrigin + performance.now()) * 1000)}\n`);
        return memcached.reconcile(context);
      },
    },
  ],
});
