/** An operator of so many controllers; says when it begins, and when every object has been reconciled once. */
import { controller, run } from "pintle";
import { thing } from "../thing.ts";

const [count = 0, objects = 0] = process.argv.slice(2, 4).map(Number);
const open = new Set<string>();
for (let i = 0; i < count; i++) for (let j = 0; j < objects; j++) open.add(`${i}/thing-${j}`);
console.log("begun");
const controllers = Array.from({ length: count }, (_, i) =>
  controller(thing(i), {
    reconcile({ object, want }) {
      if (open.delete(`${i}/${object.metadata.name}`) && open.size === 0) console.log("all");
      return want({ status: { seen: object.spec.size } });
    },
  }),
);
await run({ controllers });
