import { describe, expect, test } from "vitest";
import { canonicalIpProblems, cidrProblems, endpointIpProblems } from "./addresses.ts";
import { cronProblem } from "./cron.ts";
import { imageTag } from "./image.ts";
import { addQuantities, compareQuantities, nanos, roundedUpToMilli } from "./quantities.ts";

describe("quantities", () => {
  test.for([
    ["1", 10n ** 9n],
    ["100m", 10n ** 8n],
    ["1Ki", 1024n * 10n ** 9n],
    ["1.5Gi", 1_610_612_736n * 10n ** 9n],
    ["2e3", 2000n * 10n ** 9n],
    ["1n", 1n],
  ] as const)("%s in billionths", ([text, value]) => {
    expect(nanos(text)).toBe(value);
  });

  test("compare by value, not by text", () => {
    expect(compareQuantities("1000m", "1")).toBe(0);
    expect(compareQuantities("1Ki", "1k")).toBe(1);
    expect(compareQuantities("900m", "1")).toBe(-1);
  });

  test("sums keep the notation of the first", () => {
    expect(addQuantities("100m", "900m")).toBe("1");
    expect(addQuantities("64Mi", "64Mi")).toBe("128Mi");
    expect(addQuantities("1", "1500m")).toBe("2500m");
  });

  test("what is finer than a thousandth is rounded up", () => {
    expect(roundedUpToMilli("100u")).toBe("1m");
  });
});

describe("image tags", () => {
  test.for([
    ["nginx", "latest"],
    ["nginx:1.27", "1.27"],
    ["registry.example.com:5000/team/app", "latest"],
    ["registry.example.com:5000/team/app:v2", "v2"],
    [`nginx@sha256:${"a".repeat(64)}`, ""],
    [`nginx:1@sha256:${"a".repeat(64)}`, "1"],
    ["Not An Image", ""],
    ["a".repeat(300), ""],
  ] as const)("%s", ([reference, tag]) => {
    expect(imageTag(reference)).toBe(tag);
  });
});

describe("cron schedules", () => {
  test.for(["* * * * *", "*/5 0-6 1,15 * mon", "@hourly", "@every 1h30m", "0 0 * jan sun"])("%s is one", (schedule) => {
    expect(cronProblem(schedule)).toBeUndefined();
  });
  test.for(["", "* * * *", "60 * * * *", "* * 0 * *", "@sometimes"])("%s is none", (schedule) => {
    expect(cronProblem(schedule)).toBeTypeOf("string");
  });
});

describe("addresses", () => {
  test("ranges", () => {
    expect(cidrProblems("10.0.0.0/8")).toEqual([]);
    expect(cidrProblems("2001:db8::/64")).toEqual([]);
    expect(cidrProblems("10.0.0.0/33")).toHaveLength(1);
  });
  test("of endpoints are neither local nor nothing", () => {
    for (const ip of ["0.0.0.0", "127.0.0.1", "169.254.1.1", "224.0.0.5", "::1"]) expect(endpointIpProblems(ip)).toHaveLength(1);
    expect(endpointIpProblems("10.0.0.1")).toEqual([]);
  });
  test("have one canonical form", () => {
    expect(canonicalIpProblems("10.0.0.1")).toEqual([]);
    expect(canonicalIpProblems("2001:DB8:0::1")).toEqual(['must be in canonical form ("2001:db8::1")']);
  });
});
