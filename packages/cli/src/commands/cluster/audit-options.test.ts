import { expect, test } from "vitest";
import { parseAuditOptions } from "./audit-options.ts";

test("resolves the files of the audit flags and passes the limits on", () => {
  const values = { "audit-log-path": "a.log", "audit-policy-file": "p.yaml", "audit-log-maxsize": "5", "audit-log-maxbackup": "0" };
  expect(parseAuditOptions(values, "/project")).toEqual({
    path: "/project/a.log",
    policy: "/project/p.yaml",
    maxSize: 5,
    maxBackups: 0,
    maxAge: undefined,
    compress: false,
  });
  expect(parseAuditOptions({ ...values, "audit-log-path": "-" }, "/project")?.path).toBe("-");
  expect(parseAuditOptions({}, "/project")).toBeUndefined();
  const webhook = parseAuditOptions({ "audit-webhook-config-file": "w.yaml", "audit-policy-file": "p.yaml" }, "/project");
  expect(webhook).toMatchObject({ webhook: { config: "/project/w.yaml" }, policy: "/project/p.yaml" });
  expect(webhook).not.toHaveProperty("path");
});

test.each([
  [{ "audit-log-path": "a.log" }, "--audit-log-path requires --audit-policy-file"],
  [{ "audit-policy-file": "p.yaml" }, "--audit-policy-file requires --audit-log-path or --audit-webhook-config-file"],
  [{ "audit-webhook-config-file": "w.yaml" }, "--audit-webhook-config-file requires --audit-policy-file"],
  [{ "audit-log-path": "a", "audit-policy-file": "p", "audit-log-maxage": "-1" }, 'invalid --audit-log-maxage "-1"'],
])("refuses %o", (values, message) => {
  expect(() => parseAuditOptions(values, "/project")).toThrow(message);
});
