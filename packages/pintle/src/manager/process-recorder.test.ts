import { expect, test } from "vitest";
import { virtualClock } from "../clock/index.ts";
import { createFlightRecorder } from "../recorder/index.ts";
import { learnEnvironment } from "./process-recorder.ts";

const env = {
  DATABASE_PASSWORD: "correct horse battery",
  API_TOKEN: "tok-5b1c9e02",
  TOKEN_FILE: "/var/run/secrets/token",
  SHORT_PASSWORD: "abc",
  REGION: "eu-central-1",
};

test("secrets in the environment are redacted in every fact, before and after they are learned; paths, short values and the rest are kept", () => {
  const recorder = createFlightRecorder({ clock: virtualClock() });
  const log = (message: string) => recorder.record({ type: "log", level: "info", message });
  log(`early ${env.DATABASE_PASSWORD}`);
  learnEnvironment(recorder, env);
  log(Object.values(env).join("; "));
  log(`encoded ${Buffer.from(env.API_TOKEN).toString("base64")}`);
  const text = recorder.text();
  for (const secret of [env.DATABASE_PASSWORD, env.API_TOKEN, Buffer.from(env.API_TOKEN).toString("base64")])
    expect(text).not.toContain(secret);
  expect(text.match(/\(redacted [0-9a-f]{12}\)/g)).toHaveLength(4);
  expect(text).toContain("; /var/run/secrets/token; abc; eu-central-1");
});
