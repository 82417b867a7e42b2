import { expect, test } from "vitest";
import { isEmailAddress } from "./email-address.ts";

test.each(["a@b", "<a@b>", "A Name <a@b>", '"x y" <a@b>', '"a b"@c', "a@[1.2.3.4]", "a@[::1]", "g: a@b;", "a@b (note (nested))", "ü@ä.de"])(
  "accepts %s",
  (text) => expect(isEmailAddress(text)).toBe(true),
);

test.each([
  "",
  "a",
  "a@",
  "@b",
  "a@b@c",
  ".a@b",
  "a..b@c",
  "a@b.",
  "a@[x]",
  '""@b',
  "g: a@b, c@d;",
  "g:;",
  "a@b (note",
  "=?x?q?a?= <a@b>",
  "a@b c",
])("rejects %s", (text) => expect(isEmailAddress(text)).toBe(false));
