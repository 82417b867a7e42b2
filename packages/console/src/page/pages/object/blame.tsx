/** Who owns each field, since when, and by which request. */
import type { JSX } from "preact";
import type { BlamedField, ObjectPath } from "../../../protocol.ts";
import { requestHref } from "../../app/links.ts";
import { location } from "../../app/router.ts";
import { useRead } from "../../data/use-read.ts";
import { formatValue } from "../../model/format.ts";
import { Empty, Reading, RevisionLink, RunLink, Time } from "../../parts/basics.tsx";
import { FilterInput } from "../../parts/filters.tsx";

const matches = (field: BlamedField, text: string) =>
  `${field.path} ${field.managers.map(({ manager }) => manager).join(" ")}`.toLowerCase().includes(text.toLowerCase());

export function BlameTab({ path }: { readonly path: ObjectPath }): JSX.Element {
  const state = useRead("/api/objects/*/blame", [path]);
  const text = location.value.query["field"] ?? "";
  return (
    <>
      <div class="filters">
        <FilterInput label="Filter fields" name="field" placeholder="Field or manager" />
      </div>
      <Reading state={state}>
        {({ fields }) => {
          const shown = fields.filter((field) => matches(field, text));
          if (shown.length === 0) return <Empty title="No field matches." />;
          return (
            <div class="scroll-x" tabIndex={0} role="group" aria-label="Fields and their managers">
              <table class="grid blame">
                <thead>
                  <tr>
                    <th scope="col">Field</th>
                    <th scope="col">Value</th>
                    <th scope="col">Manager</th>
                    <th scope="col">Since</th>
                    <th scope="col">By</th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map((field) => (
                    <tr key={field.path}>
                      <th scope="row">
                        <code class="path wrap">{field.path}</code>
                      </th>
                      <td class="mono wrap">{formatValue(field.value)}</td>
                      <td>
                        {field.managers.length === 0 && <span class="muted">API server</span>}
                        {field.managers.map(({ manager, operation, subresource }) => (
                          <div key={`${manager} ${operation} ${subresource}`}>
                            <strong>{manager}</strong>{" "}
                            <span class="muted">
                              {operation}
                              {subresource ? `, ${subresource}` : ""}
                            </span>
                          </div>
                        ))}
                      </td>
                      <td>
                        {field.since !== undefined && <RevisionLink revision={field.since} />}{" "}
                        {field.time !== undefined && <Time time={field.time} />}
                      </td>
                      <td>
                        {field.run !== undefined ? (
                          <RunLink id={field.run} />
                        ) : field.request !== undefined ? (
                          <a href={requestHref(field.request)}>{field.user ?? "request"}</a>
                        ) : (
                          field.user
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          );
        }}
      </Reading>
    </>
  );
}
