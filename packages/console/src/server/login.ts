import { randomBytes } from "node:crypto";
import type { AccessKey } from "./access-key.ts";

/** The browsers that have exchanged the key for a cookie. */
export interface Logins {
  /** Returns the Set-Cookie header, or undefined for a wrong key. */
  login(key: string): string | undefined;
  isLoggedIn(cookie: string | undefined): boolean;
}

/** Cookies that are valid at the same time; of more, the oldest ends. */
const MAX_LOGINS = 64;

/** The cookie is named by port, because browsers send cookies of one host to all of its ports. */
export function createLogins(key: AccessKey, port: number, random: (bytes: number) => Buffer = randomBytes): Logins {
  const name = `pintle-console-${port}`;
  const valid = new Set<string>();
  return {
    login(text) {
      if (!key.matches(text)) return undefined;
      const token = random(16).toString("base64url");
      for (const oldest of [...valid].slice(0, Math.max(0, valid.size - MAX_LOGINS + 1))) valid.delete(oldest);
      valid.add(token);
      return `${name}=${token}; HttpOnly; SameSite=Strict; Path=/`;
    },
    isLoggedIn: (cookie) =>
      (cookie ?? "").split(";").some((pair) => {
        const [given, value] = pair.trim().split("=");
        return given === name && value !== undefined && valid.has(value);
      }),
  };
}
