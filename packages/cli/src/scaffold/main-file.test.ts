import { expect, test } from "vitest";
import { type Api, withApi, withoutFile } from "./index.ts";

const shelf: Api = { group: "shop.example.com", version: "v1", kind: "Shelf", scope: "Namespaced", controller: true };

test("a controller joins those that run", () => {
  const main = `import { run } from "pintle";\nimport { store } from "./store.ts";\n\nawait run({ controllers: [store], health: ":1" });\n`;
  expect(withApi(main, shelf)).toBe(
    `import { run } from "pintle";\nimport { store } from "./store.ts";\nimport { shelf } from "./shelf.ts";\n\nawait run({ controllers: [store, shelf], health: ":1" });\n`,
  );
});

test("a list over several lines, an empty one, and resources that are there already", () => {
  const list = (text: string) => `import { run } from "pintle";\nawait run({ ${text} });\n`;
  expect(withApi(list("controllers: [\n  store,\n]"), shelf)).toContain("controllers: [store, shelf]");
  expect(withApi(list("controllers: []"), shelf)).toContain("controllers: [shelf]");
  const alone = { ...shelf, controller: false };
  expect(withApi(list("controllers: [store]"), alone)).toContain("controllers: [store], resources: [Shelf]");
  expect(withApi(list("controllers: [], resources: [Note]"), alone)).toContain("resources: [Note, Shelf]");
});

test("a file that is not as it was made is left to its author", () => {
  expect(withApi('import { run } from "pintle";\nconst controllers = make();\nawait run({ controllers });\n', shelf)).toBeUndefined();
});

test("a file that goes takes its import and its items along", () => {
  const main = `import { run } from "pintle";\nimport { store } from "./store.ts";\nimport { shelf, Shelf } from "./shelf.ts";\n\nawait run({ controllers: [store, shelf], resources: [Shelf] });\n`;
  expect(withoutFile(main, "shelf")).toBe(
    `import { run } from "pintle";\nimport { store } from "./store.ts";\n\nawait run({ controllers: [store], resources: [] });\n`,
  );
  expect(withoutFile(main, "other")).toBe(main);
  expect(withoutFile(`${main}shelf.more();\n`, "shelf")).toBeUndefined();
});

test("the same kind of another group goes by another name", () => {
  const main = `import { run } from "pintle";\nimport { shelf } from "./shelf.ts";\nawait run({ controllers: [shelf] });\n`;
  const other = { ...shelf, prefix: "store" };
  expect(withApi(main, other)).toContain(
    'import { storeShelf } from "./store-shelf.ts";\nawait run({ controllers: [shelf, storeShelf] });',
  );
  expect(withApi(main, { ...other, controller: false })).toContain(
    'import { Shelf as StoreShelf } from "./store-shelf.ts";\nawait run({ controllers: [shelf], resources: [StoreShelf] });',
  );
});
