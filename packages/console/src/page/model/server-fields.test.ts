import { expect, test } from "vitest";
import { withoutServerFields } from "./server-fields.ts";

test("removes the status and the metadata that the server sets, and keeps everything else", () => {
  const yaml = `apiVersion: v1
kind: Pod
metadata:
  name: a
  uid: 1
  labels:
    uid: kept
  creationTimestamp: "x"
spec:
  uid: kept
  containers:
    - name: b
status:
  phase: Running
`;
  expect(withoutServerFields(yaml)).toBe(`apiVersion: v1
kind: Pod
metadata:
  name: a
  labels:
    uid: kept
spec:
  uid: kept
  containers:
    - name: b`);
});
