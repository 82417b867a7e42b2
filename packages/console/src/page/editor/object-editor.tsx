/**
 * Writes an object: a form and YAML of the same text, problems in the words of the schema and of the server, and the difference that an apply would make
 * before it is made.
 */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { isNode, parseDocument } from "yaml";
import type { ApiFailure, ApplyResult, JsonSchema } from "../../protocol.ts";
import { write } from "../data/api.ts";
import { checkValue, formatLimits, formatType, listFields, parseInput, type SchemaField, withMetadata } from "../model/form-fields.ts";
import { Failure, Mark, ObjectLink, RevisionLink } from "../parts/basics.tsx";
import { ChangeTable } from "../parts/changes.tsx";
import { useAction } from "../parts/use-action.ts";
import { type TextProblem, YamlEditor } from "./yaml-editor.tsx";

export interface ObjectEditorProps {
  readonly label: string;
  readonly start: string;
  /** Default: not known; there is no form. */
  readonly schema?: JsonSchema | undefined;
}

interface Checked {
  readonly text: string;
  readonly force: boolean;
  readonly result: ApplyResult;
}

export function ObjectEditor({ label, start, schema }: ObjectEditorProps): JSX.Element {
  const [text, setText] = useState(start);
  const [force, setForce] = useState(false);
  const [checked, setChecked] = useState<Checked | undefined>(undefined);
  const [applied, setApplied] = useState<ApplyResult | undefined>(undefined);
  const document = useMemo(() => parseDocument(text), [text]);
  const fields = useMemo(() => (schema === undefined ? [] : listFields(withMetadata(schema)).filter(isInForm)), [schema]);
  const local = useMemo(() => fields.flatMap((field) => problemOf(field, document.getIn(field.path))), [fields, document]);
  const dryRun = useAction(async () => {
    setApplied(undefined);
    setChecked(undefined);
    setChecked({ text, force, result: await write("/api/apply", { yaml: text, dryRun: true, force }) });
  });
  const apply = useAction(async () => {
    setApplied(await write("/api/apply", { yaml: text, dryRun: false, force }));
    setChecked(undefined);
  });
  const failure = apply.error ?? dryRun.error;
  const remote = (failure?.fields ?? []).map(({ path, message }) => ({ path, message }));
  const problems = useMemo(() => locate(document, [...local, ...remote]), [document, local, failure]);
  const syntax = document.errors.length > 0;
  const current = checked !== undefined && checked.text === text && checked.force === force ? checked.result : undefined;
  return (
    <div class="object-editor">
      {fields.length > 0 && (
        <form class="panel form" aria-label={`Form of ${label}`} onSubmit={(event) => event.preventDefault()}>
          {fields.map((field) => (
            <FormField
              key={field.name}
              field={field}
              value={document.getIn(field.path)}
              problem={[...local, ...remote].find(({ path }) => path.replace(/^\./, "") === field.name.replace(/^\./, ""))?.message}
              set={(value) => {
                const next = parseDocument(text);
                if (value === undefined) next.deleteIn(field.path);
                else next.setIn(field.path, value);
                setText(String(next));
              }}
            />
          ))}
        </form>
      )}
      <div class="editor-side">
        <YamlEditor label={`YAML of ${label}`} text={text} problems={problems} onChange={setText} />
        <div class="filters">
          <button type="button" class="primary" disabled={syntax || local.length > 0 || dryRun.busy} onClick={dryRun.run}>
            {dryRun.busy ? "Checking" : "Check: what would change"}
          </button>
          <button type="button" disabled={current === undefined || apply.busy} onClick={apply.run}>
            Apply
          </button>
          {text !== start && (
            <button type="button" class="plain" onClick={() => setText(start)}>
              Reset
            </button>
          )}
          <span class="muted">as field manager pintle-console</span>
        </div>
        {document.errors.map((error) => (
          <p key={error.message} class="bad wrap" role="alert">
            {error.message.split("\n")[0]}
          </p>
        ))}
        {local.length > 0 && (
          <ul class="notice bad-notice" aria-label="Problems">
            {local.map(({ path, message }) => (
              <li key={path}>
                <code>{path}</code> {message}
              </li>
            ))}
          </ul>
        )}
        {failure !== undefined && <ServerFailure failure={failure} force={force} setForce={setForce} />}
        {current !== undefined && <Outcome result={current} dry />}
        {applied !== undefined && <Outcome result={applied} dry={false} />}
      </div>
    </div>
  );
}

/** Leaves of the desired state that an input can hold; lists and maps are written as YAML. */
function isInForm({ path, leaf, name, schema }: SchemaField): boolean {
  const first = path[0];
  if (!leaf || name.includes("[]") || first === "status" || first === "apiVersion" || first === "kind") return false;
  if (first === "metadata") return path[1] === "name" || path[1] === "namespace";
  return (
    schema.type === "string" ||
    schema.type === "integer" ||
    schema.type === "number" ||
    schema.type === "boolean" ||
    schema["x-kubernetes-int-or-string"] === true
  );
}

function problemOf(field: SchemaField, value: unknown): readonly { readonly path: string; readonly message: string }[] {
  const message = isNode(value) ? undefined : checkValue(field.schema, value ?? undefined);
  return message === undefined ? [] : [{ path: field.name, message: `${JSON.stringify(value)} ${message}` }];
}

/** Where in the text a field is; of one that is not there, its parent. */
function locate(
  document: ReturnType<typeof parseDocument>,
  problems: readonly { readonly path: string; readonly message: string }[],
): readonly TextProblem[] {
  const syntax = document.errors.map(
    (error): TextProblem => ({ from: error.pos[0], to: error.pos[1], message: error.message.split("\n")[0] ?? "" }),
  );
  const located = problems.map(({ path, message }): TextProblem => {
    const segments = path.split(/[.[\]]/).filter((segment) => segment !== "");
    for (let length = segments.length; length > 0; length--) {
      const node = document.getIn(
        segments.slice(0, length).map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment)),
        true,
      );
      const range = isNode(node) ? node.range : undefined;
      if (range !== undefined && range !== null) return { from: range[0], to: range[1], message: `${path} ${message}` };
    }
    return { from: 0, to: 0, message: `${path} ${message}` };
  });
  return [...syntax, ...located];
}

interface FormFieldProps {
  readonly field: SchemaField;
  readonly value: unknown;
  readonly problem: string | undefined;
  readonly set: (value: unknown) => void;
}

function FormField({ field: { name, schema, required }, value, problem, set }: FormFieldProps): JSX.Element {
  const id = `field${name}`;
  const text = value === undefined || value === null || isNode(value) ? "" : String(value);
  const choices = schema.type === "boolean" ? ["true", "false"] : schema.enum?.map(String);
  const described = { id, "aria-describedby": `${id}-about`, "aria-invalid": problem !== undefined, "aria-required": required } as const;
  const hint = [
    formatType(schema),
    ...formatLimits(schema),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ].join(", ");
  return (
    <div class="form-field">
      <label for={id}>
        <code>{name}</code>
        {required && <span class="muted"> required</span>}
      </label>
      {choices === undefined ? (
        <input
          {...described}
          value={text}
          inputMode={schema.type === "integer" ? "numeric" : undefined}
          placeholder={schema.default === undefined ? "" : JSON.stringify(schema.default)}
          onInput={(event) => set(parseInput(schema, event.currentTarget.value))}
        />
      ) : (
        <select {...described} value={text} onChange={(event) => set(parseInput(schema, event.currentTarget.value))}>
          <option value="">{schema.default === undefined ? "unset" : `default ${JSON.stringify(schema.default)}`}</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )}
      <div id={`${id}-about`} class="muted form-about">
        {problem !== undefined && <div class="bad">{problem}</div>}
        {hint}
        {schema.description !== undefined && <div>{schema.description}</div>}
      </div>
    </div>
  );
}

interface ServerFailureProps {
  readonly failure: ApiFailure["error"];
  readonly force: boolean;
  readonly setForce: (force: boolean) => void;
}

function ServerFailure({ failure, force, setForce }: ServerFailureProps): JSX.Element {
  return (
    <>
      <Failure error={failure} />
      {failure.reason === "Conflict" && (
        <label class="check">
          <input type="checkbox" checked={force} onChange={(event) => setForce(event.currentTarget.checked)} />
          Take these fields over from their managers
        </label>
      )}
    </>
  );
}

function Outcome({ result, dry }: { readonly result: ApplyResult; readonly dry: boolean }): JSX.Element {
  const words = dry
    ? { created: "would be created", changed: "would change", unchanged: "would not change" }
    : { created: "created", changed: "changed", unchanged: "unchanged" };
  return (
    <div class="outcome" role="status" aria-label={dry ? "What would change" : "Applied"}>
      {result.objects.map((object) => (
        <div key={object.path}>
          <p>
            <Mark tone={dry ? "accent" : "good"}>
              <ObjectLink path={object.path} /> {words[object.outcome]}
            </Mark>
            {!dry && object.revision !== undefined && (
              <>
                {" "}
                <RevisionLink revision={object.revision} />
              </>
            )}
          </p>
          {object.warnings.map((warning) => (
            <p key={warning} class="warn">
              {warning}
            </p>
          ))}
          {object.changes.length > 0 && <ChangeTable changes={object.changes} from="now" to={dry ? "after apply" : "applied"} />}
        </div>
      ))}
    </div>
  );
}
