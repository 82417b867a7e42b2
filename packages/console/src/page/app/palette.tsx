/** Ctrl-K: finds objects, runs, requests, revisions and pages by a few letters. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SearchResult } from "../../protocol.ts";
import { useRead } from "../data/use-read.ts";
import { Dialog } from "./dialog.tsx";
import { pageHref } from "./links.ts";
import { PAGES } from "./pages.ts";
import { at, go, parseLocation } from "./router.ts";

type Hit = SearchResult["hits"][number] | { readonly type: "page"; readonly text: string; readonly detail: string; readonly href: string };

export function Palette({ close }: { readonly close: () => void }): JSX.Element {
  const [text, setText] = useState("");
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  useEffect(() => {
    const timer = window.setTimeout(() => setQuery(text.trim()), 80);
    return () => window.clearTimeout(timer);
  }, [text]);
  const found = useRead(query === "" ? undefined : "/api/search", [], { q: query });
  const pages = PAGES.filter(({ name }) => name.toLowerCase().startsWith(text.trim().toLowerCase())).map(
    (page): Hit => ({ type: "page", text: page.name, detail: `g ${page.key}`, href: page.path === "" ? "/" : `/${page.path}` }),
  );
  const hits: readonly Hit[] = [...pages, ...(query === "" ? [] : (found.data?.hits ?? []))].slice(0, 50);
  const selected = Math.min(active, Math.max(0, hits.length - 1));
  const open = (hit: Hit | undefined) => {
    if (hit === undefined) return;
    const { path, query: parameters } = parseLocation(hit.href);
    close();
    go(pageHref(path, { at: at.value, ...parameters }));
  };
  return (
    <Dialog label="Search" close={close}>
      <input
        type="text"
        class="palette-input"
        aria-label="Search objects, runs, requests and pages"
        placeholder="Object, run, request, revision, page"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-hits"
        aria-activedescendant={hits.length === 0 ? undefined : `hit-${selected}`}
        value={text}
        autofocus
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setActive(Math.min(hits.length - 1, selected + 1));
          else if (event.key === "ArrowUp") setActive(Math.max(0, selected - 1));
          else if (event.key === "Enter") open(hits[selected]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-hits" class="hits" role="listbox" aria-label="Found">
        {hits.map((hit, i) => (
          <li
            key={`${hit.type} ${hit.href}`}
            id={`hit-${i}`}
            role="option"
            aria-selected={i === selected}
            class={i === selected ? "hit selected" : "hit"}
            onClick={() => open(hit)}
            ref={(element) => {
              if (i === selected) element?.scrollIntoView({ block: "nearest" });
            }}
          >
            <span class="hit-type muted">{hit.type}</span>
            <span class="ellipsis">{hit.text}</span>
            <span class="muted ellipsis">{hit.detail}</span>
          </li>
        ))}
      </ul>
      {hits.length === 0 && <p class="muted">{found.loading ? "Searching" : "Nothing found."}</p>}
    </Dialog>
  );
}
