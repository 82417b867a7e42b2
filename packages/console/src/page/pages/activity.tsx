/** Everything that was recorded, filtered as one types. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { FactRow } from "../../protocol.ts";
import { at, go, here, location } from "../app/router.ts";
import { FACT_TYPES } from "../data/fact-columns.ts";
import { facts, session, version } from "../data/stream.ts";
import { count } from "../model/format.ts";
import { Empty, Title } from "../parts/basics.tsx";
import { FactList } from "../parts/fact-list.tsx";
import { FilterInput, Toggle } from "../parts/filters.tsx";

export function Activity(): JSX.Element {
  const turn = version.value;
  const { q: text = "", types: chosen = "", noise } = location.value.query;
  const until = at.value;
  const types = chosen.split(",").filter((type): type is FactRow["type"] => (FACT_TYPES as readonly string[]).includes(type));
  const rows = useMemo(() => {
    const found = facts.filter({ text, noise: noise === "1", ...(types.length === 0 ? {} : { types }), ...timeLimit(until) });
    return found.slice().reverse();
  }, [turn, text, chosen, noise, until]);
  const toggle = (type: FactRow["type"]) => {
    const next = types.includes(type) ? types.filter((each) => each !== type) : [...types, type];
    go(here({ types: next.join(",") }), true);
  };
  return (
    <div class="page fill">
      <Title title="Activity">
        <span class="muted" role="status">
          {count(rows.length, "fact")}
          {(session.value?.dropped ?? 0) > 0 ? `; ${count(session.value?.dropped ?? 0, "older one")} not retained` : ""}
        </span>
      </Title>
      <div class="filters">
        <FilterInput label="Filter the activity" name="q" />
        <div class="toggles" role="group" aria-label="Types">
          {FACT_TYPES.map((type) => (
            <Toggle key={type} pressed={types.includes(type)} onClick={() => toggle(type)}>
              {type}
            </Toggle>
          ))}
        </div>
        <Toggle pressed={noise === "1"} onClick={() => go(here({ noise: noise === "1" ? undefined : 1 }), true)}>
          Without effect, too
        </Toggle>
      </div>
      {rows.length === 0 ? (
        <Empty title={facts.length === 0 ? "Nothing is recorded yet." : "No fact matches."} />
      ) : (
        <FactList label="Activity" rows={rows} />
      )}
    </div>
  );
}

/** The time of the commit that is shown: what was recorded after it had not happened. */
function timeLimit(revision: number | undefined): { readonly until?: number } {
  if (revision === undefined) return {};
  for (let i = facts.length - 1; i >= 0; i--) {
    const each = facts.revision[i] ?? 0;
    if (each > 0 && each <= revision) return { until: facts.time[i] ?? 0 };
  }
  return {};
}
