/** The Kubernetes events of an object. */
import type { JSX } from "preact";
import type { ObjectPath } from "../../../protocol.ts";
import { useRead } from "../../data/use-read.ts";
import { Empty, Mark, Reading, Time } from "../../parts/basics.tsx";

export function EventsTab({ path }: { readonly path: ObjectPath }): JSX.Element {
  const state = useRead("/api/objects/*/events", [path]);
  return (
    <Reading state={state}>
      {({ events }) =>
        events.length === 0 ? (
          <Empty title="It has no events." />
        ) : (
          <div class="scroll-x" tabIndex={0} role="group" aria-label="Events">
            <table class="grid">
              <thead>
                <tr>
                  <th scope="col">Last</th>
                  <th scope="col">Reason</th>
                  <th scope="col">Message</th>
                  <th scope="col">From</th>
                  <th scope="col" class="number">
                    Count
                  </th>
                </tr>
              </thead>
              <tbody>
                {events.map((event, i) => (
                  <tr key={`${event.reason} ${event.last} ${i}`}>
                    <td>{event.last !== undefined && <Time time={event.last} />}</td>
                    <td>
                      <Mark tone={event.type === "Warning" ? "warn" : "plain"}>{event.reason}</Mark>
                    </td>
                    <td class="wrap">{event.message}</td>
                    <td class="muted">{event.from}</td>
                    <td class="number">{event.count}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Reading>
  );
}
