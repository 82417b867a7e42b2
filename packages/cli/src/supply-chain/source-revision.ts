import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Where the source code of a project is, and what was checked out; undefined outside of a Git repository or without Git. */
export async function readSourceRevision(
  root: string,
): Promise<{ readonly uri: string; readonly commit: string; readonly isDirty: boolean } | undefined> {
  const git = async (...args: string[]) => (await promisify(execFile)("git", ["-C", root, ...args])).stdout.trim();
  try {
    const commit = await git("rev-parse", "HEAD");
    const isDirty = (await git("status", "--porcelain", "--untracked-files=no")) !== "";
    const remote = await git("remote", "get-url", "origin").catch(() => "");
    return { uri: `git+${withoutCredentials(remote) || "file:."}`, commit, isDirty };
  } catch {
    return undefined;
  }
}

/** Remotes may contain tokens, which must not be published. */
function withoutCredentials(remote: string): string {
  const [, user, host, repository] = /^(?:([^@/]+)@)([^:/]+):(.+)$/.exec(remote) ?? [];
  if (user !== undefined) return `ssh://${host}/${repository}`;
  if (!URL.canParse(remote)) return "";
  const url = new URL(remote);
  url.username = "";
  url.password = "";
  return url.href;
}
