/** Starts the page: exchanges the key of the URL for a cookie, follows the stream, and shows what the URL names. */
import { render } from "preact";
import { App } from "./app/app.tsx";
import { startKeys } from "./app/keys.ts";
import { startRouter } from "./app/router.ts";
import { startTheme } from "./app/theme.ts";
import { write } from "./data/api.ts";
import { loginFailure, startStream } from "./data/stream.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/pages.css";

const KEY = /^#key=(.+)$/;

/** The key stands in the fragment, which is not sent; it leaves the address bar and the history before anything else happens. */
async function logIn(): Promise<void> {
  const key = KEY.exec(window.location.hash)?.[1];
  if (key === undefined) return;
  history.replaceState(null, "", window.location.pathname + window.location.search);
  try {
    await write("/api/login", { key: decodeURIComponent(key) });
  } catch {
    // An old key: a cookie of before may still be good, and the session says if not.
  }
}

async function start(): Promise<void> {
  startTheme();
  await logIn();
  startRouter();
  startKeys();
  const root = document.getElementById("app");
  if (root !== null) render(<App />, root);
  await startStream();
}

start().catch((error: unknown) => {
  loginFailure.value = error instanceof Error ? error.message : String(error);
});
