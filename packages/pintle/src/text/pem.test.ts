import { expect, test } from "vitest";
import { splitPemBlocks } from "./pem.ts";

const block = (type: string, body = "AAAA") => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----`;

test("returns the blocks of a PEM text with their types", () => {
  const text = `${block("CERTIFICATE")}\nother\n${block("EC PRIVATE KEY")}\n`;
  expect(splitPemBlocks(text)).toEqual([
    { type: "CERTIFICATE", text: block("CERTIFICATE") },
    { type: "EC PRIVATE KEY", text: block("EC PRIVATE KEY") },
  ]);
});

test("skips blocks that are not complete", () => {
  expect(splitPemBlocks("")).toEqual([]);
  expect(splitPemBlocks("-----BEGIN CERTIFICATE-----\nAAAA")).toEqual([]);
  expect(splitPemBlocks(`-----BEGIN A-----\n${block("B")}`).map(({ type }) => type)).toEqual(["B"]);
  expect(splitPemBlocks(`-----END A-----${block("B")}-----BEGIN C-----`).map(({ type }) => type)).toEqual(["B"]);
});
