/** From the URL to a page. Pages with libraries of their own are loaded when they are opened. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatObjectPath } from "../app/links.ts";
import { currentFork } from "../data/api.ts";
import { loginFailure, session } from "../data/stream.ts";
import { Activity } from "../pages/activity.tsx";
import { Chain } from "../pages/chain.tsx";
import { Lab } from "../pages/lab.tsx";
import { Now } from "../pages/now.tsx";
import { ObjectPage } from "../pages/object.tsx";
import { Objects } from "../pages/objects.tsx";
import { Requests } from "../pages/requests.tsx";
import { Run } from "../pages/run.tsx";
import { Runs } from "../pages/runs.tsx";
import { Schema } from "../pages/schema.tsx";
import { Watches } from "../pages/watches.tsx";
import { Empty } from "../parts/basics.tsx";
import { PAGES } from "./pages.ts";
import { go, here, href, location } from "./router.ts";
import { Shell } from "./shell.tsx";

export function App(): JSX.Element {
  const fork = currentFork();
  const path = fork === undefined ? location.value.path : location.value.path.slice(2);
  const revision = session.value?.trace?.revision;
  const isStart = path.length === 0 && location.value.query["at"] === undefined && fork === undefined;
  // A trace opens at the moment of its failure.
  useEffect(() => {
    if (isStart && revision !== undefined) go(here({ at: revision }), true);
  }, [revision]);
  useEffect(() => {
    const page = PAGES.find((each) => each.path === (path[0] ?? ""))?.name;
    const object = path[0] === "o" ? formatObjectPath(path.slice(1).join("/")) : undefined;
    document.title = [object ?? page ?? path.join(" "), session.value?.name].filter(Boolean).join(" · ");
  });
  if (loginFailure.value !== undefined) return <Login message={loginFailure.value} />;
  return (
    <Shell>
      <Page path={path} />
    </Shell>
  );
}

function Page({ path }: { readonly path: readonly string[] }): JSX.Element {
  const [name, ...rest] = path;
  switch (name) {
    case undefined:
      return <Now />;
    case "objects":
      return <Objects />;
    case "o":
      return <ObjectPage key={rest.join("/")} path={rest.join("/")} />;
    case "activity":
      return <Activity />;
    case "runs":
      return <Runs />;
    case "run":
      return <Run key={rest[0]} id={rest[0] ?? ""} />;
    case "requests":
      return <Requests />;
    case "chain":
      return <Chain revision={rest[0]} />;
    case "watches":
      return <Watches />;
    case "speed":
      return <Later load={() => import("../pages/speed.tsx").then((module) => module.Speed)} />;
    case "lab":
      return <Lab />;
    case "schema":
      return <Schema path={rest} />;
    default:
      return (
        <Empty title="There is no such page.">
          <a href={href([])}>Now</a>
        </Empty>
      );
  }
}

/** A page that comes with its own library. */
function Later({ load }: { readonly load: () => Promise<ComponentType> }): JSX.Element | null {
  const [Loaded, setLoaded] = useState<ComponentType | undefined>(undefined);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    load().then(
      (component) => setLoaded(() => component),
      () => setFailed(true),
    );
  }, []);
  if (failed) return <Empty title="This page could not be loaded. Reload to try again." />;
  return Loaded === undefined ? null : <Loaded />;
}

function Login({ message }: { readonly message: string }): JSX.Element {
  return (
    <main id="main" class="login">
      <h1>Open the address that pintle printed</h1>
      <p>{message}</p>
      <p class="muted">The address has a key behind the # sign. It is exchanged for a cookie of this browser, once.</p>
    </main>
  );
}
