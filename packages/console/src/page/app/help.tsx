/** All keys, and the switch for them. */
import type { JSX } from "preact";
import { Dialog } from "./dialog.tsx";
import { keysEnabled, toggleKeys } from "./keys.ts";
import { PAGES } from "./pages.ts";

const KEYS: readonly (readonly [string, string])[] = [
  ["Ctrl K", "Search everything"],
  ["/", "Filter this page"],
  ["j  k", "Next and previous row"],
  ["Enter", "Open"],
  ["Esc", "Leave a field or dialog"],
  ["[  ]", "Previous and next revision"],
  [".", "Follow: show the newest moment"],
  ["t  d  b  p", "Object: story, diff, blame, plan"],
  ["y  e", "Object: YAML, edit"],
  ["c", "Chain of what is shown"],
  ["f", "Fork the cluster at this moment"],
  ["?", "This help"],
];

export function Help({ close }: { readonly close: () => void }): JSX.Element {
  return (
    <Dialog label="Keys" close={close}>
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
        {PAGES.map(({ key, name }) => (
          <div key={key}>
            <dt>
              <kbd>g {key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={keysEnabled.value} onChange={toggleKeys} />
        Keys of one character
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
