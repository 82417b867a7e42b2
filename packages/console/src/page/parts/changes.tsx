/** Differences of fields and steps of plans. */
import type { JSX } from "preact";
import type { FieldChange, PlanStep } from "../../protocol.ts";
import { formatValue } from "../model/format.ts";
import { isScalar, listLeaves } from "../model/leaves.ts";
import { Mark, ObjectLink, RevisionLink, type Tone } from "./basics.tsx";

const has = (change: FieldChange, side: "old" | "new") => change[side] !== undefined;

/** One line: ".spec.size 3 → 5". */
export function InlineChange({ change }: { readonly change: FieldChange }): JSX.Element {
  return (
    <span class="change">
      <code class="path">{change.path}</code> {has(change, "old") && <del class="old mono">{formatValue(change.old)}</del>}
      {has(change, "old") && has(change, "new") && <span class="muted"> → </span>}
      {has(change, "new") ? <ins class="new mono">{formatValue(change.new)}</ins> : <span class="muted"> removed</span>}
    </span>
  );
}

export function InlineChanges({ changes, limit = 4 }: { readonly changes: readonly FieldChange[]; readonly limit?: number }): JSX.Element {
  return (
    <ul class="changes">
      {changes.slice(0, limit).map((change) => (
        <li key={change.path}>
          <InlineChange change={change} />
        </li>
      ))}
      {changes.length > limit && <li class="muted">and {changes.length - limit} more fields</li>}
    </ul>
  );
}

/** Old beside new, one field per row; objects are taken apart into their leaves. */
export function ChangeTable({
  changes,
  from,
  to,
}: {
  readonly changes: readonly FieldChange[];
  readonly from: string;
  readonly to: string;
}): JSX.Element {
  const rows = changes.flatMap((change) => (isScalar(change.old) && isScalar(change.new) ? [change] : listLeaves(change)));
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label={`Fields, ${from} and ${to}`}>
      <table class="grid change-table">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">{from}</th>
            <th scope="col">{to}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((change) => (
            <tr key={change.path}>
              <th scope="row">
                <code class="path wrap">{change.path}</code>
              </th>
              <td>
                {has(change, "old") ? <del class="old mono wrap">{formatValue(change.old, 2_000)}</del> : <span class="muted">absent</span>}
              </td>
              <td>
                {has(change, "new") ? (
                  <ins class="new mono wrap">{formatValue(change.new, 2_000)}</ins>
                ) : (
                  <span class="muted">removed</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const STEP_TONES: Readonly<Record<string, Tone>> = {
  apply: "accent",
  status: "accent",
  write: "accent",
  prune: "warn",
  wait: "warn",
  skip: "plain",
};

export function Steps({ steps }: { readonly steps: readonly PlanStep[] }): JSX.Element {
  return (
    <ol class="steps">
      {steps.map((step, i) => {
        const failed = step.code !== undefined && (step.code === 0 || step.code >= 400);
        const name = `${step.object.kind} ${step.object.namespace === undefined ? "" : `${step.object.namespace}/`}${step.object.name}`;
        return (
          <li key={`${i} ${name}`} class="step">
            <Mark tone={failed ? "bad" : (STEP_TONES[step.step] ?? "plain")}>{step.verb ?? step.step}</Mark>
            <div class="step-body">
              <div>
                {step.path === undefined ? name : <ObjectLink path={step.path}>{name}</ObjectLink>}
                {step.reason !== undefined && <span class="muted"> {step.reason}</span>}
                {step.code !== undefined && <span class={failed ? "bad" : "muted"}> {step.answer ?? step.code}</span>}
                {step.revision !== undefined && (
                  <>
                    <span class="muted"> → </span>
                    <RevisionLink revision={step.revision} />
                  </>
                )}
              </div>
              {step.changes.length > 0 && <InlineChanges changes={step.changes} limit={8} />}
              {step.body !== undefined && step.changes.length === 0 && (
                <details>
                  <summary>New object</summary>
                  <pre>{JSON.stringify(step.body, null, 2)}</pre>
                </details>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
