import { spawn } from "node:child_process";

const COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a URL in the user's browser; `onFailure` is called if there is none. */
export function openBrowser(url: string, onFailure: () => void): void {
  const [command, ...args] = COMMANDS[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.once("error", onFailure);
  child.once("exit", (code) => code !== 0 && onFailure());
  child.unref();
}
