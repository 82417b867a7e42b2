import { randomBytes, timingSafeEqual } from "node:crypto";

/** The key of a session: 128 random bits. */
export interface AccessKey {
  /** For the fragment of the URL. */
  readonly text: string;
  /** Compares in constant time. */
  matches(text: string): boolean;
}

/** Creates a key from a source of random bytes. */
export function createAccessKey(random: (bytes: number) => Buffer = randomBytes): AccessKey {
  const text = random(16).toString("base64url");
  const expected = Buffer.from(text);
  return {
    text,
    matches(given) {
      const bytes = Buffer.from(given);
      return bytes.length === expected.length && timingSafeEqual(bytes, expected);
    },
  };
}
