/** Faults, forks, the clock and a restart, by click. */
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ActiveFault, Fork, Lab as LabData } from "../../protocol.ts";
import { requestHref } from "../app/links.ts";
import { at, go, href } from "../app/router.ts";
import { remove, write } from "../data/api.ts";
import { session } from "../data/stream.ts";
import { useRead } from "../data/use-read.ts";
import { EFFECTS, EMPTY_FAULT, type FaultForm, toFaultRule } from "../model/fault-rule.ts";
import { count } from "../model/format.ts";
import { CodeLine, can, Mark, Reading, Relative, Section, Time, Title } from "../parts/basics.tsx";
import { type Action, useAction } from "../parts/use-action.ts";

export function Lab(): JSX.Element {
  const state = useRead("/api/lab");
  const nothing = !can("faults") && !can("fork") && !can("clock") && !can("restart");
  return (
    <div class="page">
      <Title title="Lab" />
      {nothing && (
        <p class="notice">Nothing can be tried here: {session.value?.readOnlyReason ?? "the source of this page is read-only"}.</p>
      )}
      <Reading state={state}>
        {(lab) => (
          <div class="lab">
            {can("faults") && <Faults lab={lab} again={state.again} />}
            {can("fork") && <Forks forks={lab.forks} again={state.again} />}
            {can("clock") && <Clock lab={lab} again={state.again} />}
            {can("restart") && <Restart />}
          </div>
        )}
      </Reading>
    </div>
  );
}

export function ActionError({ action }: { readonly action: Action }): JSX.Element | null {
  return action.error === undefined ? null : (
    <p class="bad" role="alert">
      {action.error.message}
    </p>
  );
}

function Faults({ lab, again }: { readonly lab: LabData; readonly again: () => void }): JSX.Element {
  return (
    <Section title="Faults">
      <FaultBuilder again={again} />
      {lab.faults.length === 0 ? (
        <p class="muted panel">No fault rule is active.</p>
      ) : (
        <ul class="panel rows" aria-label="Active fault rules">
          {lab.faults.map((fault) => (
            <FaultRow key={fault.id} fault={fault} again={again} />
          ))}
        </ul>
      )}
      {lab.strikes.length > 0 && (
        <>
          <h3>Struck</h3>
          <ul class="panel rows" aria-label="Struck">
            {lab.strikes.slice(0, 20).map((strike, i) => (
              <li key={i}>
                <Time time={strike.time} /> <code>{strike.fault}</code> <span class="wrap">{strike.subject}</span>{" "}
                {strike.request !== undefined && <a href={requestHref(strike.request)}>Request</a>}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function FaultRow({ fault, again }: { readonly fault: ActiveFault; readonly again: () => void }): JSX.Element {
  const action = useAction(async () => {
    await remove(`/api/lab/faults/${encodeURIComponent(fault.id)}`);
    again();
  });
  return (
    <li>
      <Mark tone="accent">{fault.text}</Mark>
      <strong>{count(fault.hits, "hit")}</strong>
      <button type="button" disabled={action.busy} aria-label={`Remove: ${fault.text}`} onClick={action.run}>
        Remove
      </button>
      <ActionError action={action} />
    </li>
  );
}

function FaultBuilder({ again }: { readonly again: () => void }): JSX.Element {
  const [form, setForm] = useState<FaultForm>(EMPTY_FAULT);
  const rule = toFaultRule(form);
  const effect = EFFECTS.find(({ id }) => id === form.effect);
  const isWebhook = form.effect.startsWith("webhook");
  const isRequest = EFFECTS.find(({ id }) => id === form.effect)?.text.startsWith("Request") === true;
  const action = useAction(async () => {
    if (typeof rule === "string") return;
    await write("/api/lab/faults", rule);
    again();
  });
  const field = (name: keyof FaultForm, label: string, placeholder = "any", size = 14) => (
    <label class="field">
      <span>{label}</span>
      <input
        size={size}
        placeholder={placeholder}
        value={form[name]}
        onInput={(event) => setForm({ ...form, [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <form
      class="panel builder"
      aria-label="New fault rule"
      onSubmit={(event) => {
        event.preventDefault();
        action.run();
      }}
    >
      <div class="fields">
        <label class="field">
          <span>What happens</span>
          <select
            value={form.effect}
            onChange={({ currentTarget: { value } }) =>
              setForm({ ...form, effect: value, value: EFFECTS.find(({ id }) => id === value)?.start ?? "" })
            }
          >
            {EFFECTS.map(({ id, text }) => (
              <option key={id} value={id}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {effect?.value !== undefined && field("value", effect.value, "", 8)}
        {isWebhook ? (
          field("webhook", "Webhook", "name", 28)
        ) : (
          <>
            {isRequest && field("verb", "Verb", "any", 10)}
            {field("resource", "Resource", "deployments")}
            {field("namespace", "Namespace")}
            {field("name", "Name")}
            {isRequest && field("user", "User")}
          </>
        )}
        {field("nth", "From match", "1", 6)}
        {field("times", "Times", "all", 6)}
        {field("probability", "Probability", "1", 6)}
      </div>
      <div class="filters">
        <button type="submit" class="primary" disabled={typeof rule === "string" || action.busy}>
          Add fault
        </button>
        {typeof rule === "string" ? <span class="bad">{rule}</span> : <code class="muted wrap">{JSON.stringify(rule)}</code>}
      </div>
      <ActionError action={action} />
    </form>
  );
}

function Forks({ forks, again }: { readonly forks: readonly Fork[]; readonly again: () => void }): JSX.Element {
  const [revision, setRevision] = useState(at.value === undefined ? "" : String(at.value));
  const action = useAction(async () => {
    const fork = await write("/api/lab/forks", revision === "" ? {} : { at: Number(revision.replace("r", "")) });
    again();
    go(href(["fork", fork.id, "objects"], { at: undefined }));
  });
  return (
    <Section title="Forks">
      <form
        class="panel filters"
        onSubmit={(event) => {
          event.preventDefault();
          action.run();
        }}
      >
        <label class="field-inline">
          <span class="muted">At revision</span>
          <input size={10} placeholder="now" value={revision} onInput={(event) => setRevision(event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={action.busy || !/^(r?\d+)?$/.test(revision)}>
          Fork
        </button>
        <span class="muted">A copy of the whole cluster as it was; the original is not touched.</span>
      </form>
      <ActionError action={action} />
      <ul class="panel rows" aria-label="Forks">
        {forks.length === 0 && <li class="muted">There is no fork.</li>}
        {forks.map((fork) => (
          <ForkRow key={fork.id} fork={fork} again={again} />
        ))}
      </ul>
    </Section>
  );
}

function ForkRow({ fork, again }: { readonly fork: Fork; readonly again: () => void }): JSX.Element {
  const action = useAction(async () => {
    await remove(`/api/lab/forks/${encodeURIComponent(fork.id)}`);
    again();
  });
  return (
    <li>
      <a href={href(["fork", fork.id, "objects"], { at: undefined })}>Fork {fork.id}</a>
      <span>
        of <span class="mono">r{fork.at}</span>, made <Relative time={fork.created} />
      </span>
      <CodeLine text={fork.kubectl} />
      <button type="button" disabled={action.busy} aria-label={`Remove fork ${fork.id}`} onClick={action.run}>
        Remove
      </button>
      <ActionError action={action} />
    </li>
  );
}

const STEPS = [
  ["1 s", 1_000],
  ["1 min", 60_000],
  ["1 h", 3_600_000],
  ["1 d", 86_400_000],
] as const;

function Clock({ lab, again }: { readonly lab: LabData; readonly again: () => void }): JSX.Element {
  const step = useRef(0);
  const action = useAction(async () => {
    await write("/api/lab/clock", { milliseconds: step.current });
    again();
  });
  return (
    <Section title="Clock">
      <div class="panel filters">
        <time class="mono">{new Date(lab.clock.now).toLocaleString()}</time>
        <div class="toggles" role="group" aria-label="Advance by">
          {STEPS.map(([text, ms]) => (
            <button
              key={text}
              type="button"
              disabled={action.busy}
              onClick={() => {
                step.current = ms;
                action.run();
              }}
            >
              + {text}
            </button>
          ))}
        </div>
      </div>
      <ActionError action={action} />
    </Section>
  );
}

function Restart(): JSX.Element {
  const action = useAction(async () => {
    await write("/api/lab/restart", {});
  });
  return (
    <Section title="Operator">
      <div class="panel filters">
        <Mark tone={session.value?.operator?.state === "running" ? "good" : "warn"}>{session.value?.operator?.state ?? "unknown"}</Mark>
        <button type="button" disabled={action.busy} onClick={action.run}>
          Kill and restart
        </button>
        <span class="muted">Whatever it was doing is cut off, as by a crash.</span>
      </div>
      <ActionError action={action} />
    </Section>
  );
}
