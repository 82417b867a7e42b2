/** Requests that write; refusals first, each with the line that cures it. */
import type { JSX } from "preact";
import type { DeniedGroup } from "../../protocol.ts";
import { here, location } from "../app/router.ts";
import { useRead } from "../data/use-read.ts";
import { count } from "../model/format.ts";
import { CodeLine, Empty, Mark, Reading, Relative, RunLink, Section, Title } from "../parts/basics.tsx";
import { FilterInput, FilterSelect } from "../parts/filters.tsx";
import { RequestTable } from "../parts/request-table.tsx";
import { FileLink } from "./now.tsx";

const CODES = [
  ["", "any"],
  ["403", "403 forbidden"],
  ["409", "409 conflict"],
  ["422", "422 invalid"],
  ["404", "404 not found"],
  ["500", "500"],
  ["0", "no answer"],
] as const;
const VERBS = ["create", "update", "patch", "apply", "delete", "deletecollection", "get", "list"].map((verb) => [verb, verb] as const);
/** How many runs of a refusal are linked. */
const MAX_RUNS = 3;

export function Requests(): JSX.Element {
  const { code, verb, user, run, object, q } = location.value.query;
  const state = useRead("/api/requests", [], { code, verb, user, run, object, q, limit: 1_000 });
  return (
    <div class="page fill">
      <Title title="Requests" />
      <div class="filters">
        <FilterInput label="Filter requests" name="q" />
        <FilterSelect label="Code" name="code" options={CODES} />
        <FilterSelect label="Verb" name="verb" options={[["", "any"], ...VERBS]} />
        {run !== undefined && (
          <span>
            of <RunLink id={run} /> <a href={here({ run: undefined })}>Of all runs</a>
          </span>
        )}
      </div>
      <Reading state={state}>
        {({ requests, denied, more }) => (
          <>
            {denied.length > 0 && (
              <Section title="Refused">
                <ul class="troubles">
                  {denied.map((group) => (
                    <Denied key={`${group.verb} ${group.group} ${group.resource} ${group.user}`} group={group} />
                  ))}
                </ul>
              </Section>
            )}
            <p class="muted" role="status">
              {count(requests.length, "request")}
              {more ? ", older ones left out" : ""}
            </p>
            {requests.length === 0 ? <Empty title="No request matches." /> : <RequestTable requests={requests} />}
          </>
        )}
      </Reading>
    </div>
  );
}

function Denied({ group }: { readonly group: DeniedGroup }): JSX.Element {
  return (
    <li class="trouble">
      <div class="trouble-head">
        <Mark tone="bad">403</Mark>
        <span class="trouble-title">
          {group.verb} {group.resource}
          {group.group === "" || group.group === "core" ? "" : `.${group.group}`}
        </span>
        <span class="muted trouble-when">
          {count(group.count, "time")}, last <Relative time={group.last} />
        </span>
      </div>
      <p class="trouble-detail mono wrap">{group.message}</p>
      <p class="advice">
        Write <CodeLine text={group.line} />{" "}
        {group.file !== undefined && <FileLink file={group.file} line={group.fileLine} editor={group.editor} />}
        {group.imports !== undefined && (
          <>
            {" with "}
            <CodeLine text={group.imports} />
          </>
        )}
      </p>
      <div class="links">
        <span class="muted">as {group.user}</span>
        {group.runs.slice(0, MAX_RUNS).map((run) => (
          <RunLink key={run} id={run} />
        ))}
      </div>
    </li>
  );
}
