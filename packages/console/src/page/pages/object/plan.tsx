/** The last passes of the controllers of an object. */
import type { JSX } from "preact";
import type { ObjectPath } from "../../../protocol.ts";
import { useRead } from "../../data/use-read.ts";
import { Empty, Reading } from "../../parts/basics.tsx";
import { PlanPassView } from "../../parts/plan-pass.tsx";

export function PlanTab({ path }: { readonly path: ObjectPath }): JSX.Element {
  const state = useRead("/api/objects/*/plan", [path]);
  return (
    <Reading state={state}>
      {({ passes }) =>
        passes.length === 0 ? (
          <Empty title="No pass about it is recorded. Plans are made for the objects that a controller reconciles." />
        ) : (
          <div class="passes">
            {passes.map((pass) => (
              <PlanPassView key={`${pass.run} ${pass.pass}`} pass={pass} />
            ))}
          </div>
        )
      }
    </Reading>
  );
}
