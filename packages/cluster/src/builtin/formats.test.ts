import { describe, expect, test } from "vitest";
import { getImageTag } from "./defaulting/pod.ts";
import { addQuantities, compareQuantities, nanos, roundedUpToMilli } from "./quantities.ts";
import { findCronError } from "./validation/cron-schedule.ts";
import { validateCanonicalIp, validateCidr, validateEndpointIp } from "./validation/ip-address.ts";

describe("quantities", () => {
  test.for([
    ["1", 10n ** 9n],
    ["100m", 10n ** 8n],
    ["1Ki", 1024n * 10n ** 9n],
    ["1.5Gi", 1_610_612_736n * 10n ** 9n],
    ["2e3", 2000n * 10n ** 9n],
    ["1n", 1n],
  ] as const)("convert %s to nano-units", ([text, value]) => {
    expect(nanos(text)).toBe(value);
  });

  test("compare by value, not by text", () => {
    expect(compareQuantities("1000m", "1")).toBe(0);
    expect(compareQuantities("1Ki", "1k")).toBe(1);
    expect(compareQuantities("900m", "1")).toBe(-1);
  });

  test("add in the notation of the first", () => {
    expect(addQuantities("100m", "900m")).toBe("1");
    expect(addQuantities("64Mi", "64Mi")).toBe("128Mi");
    expect(addQuantities("1", "1500m")).toBe("2500m");
  });

  test("round up to milli-units", () => {
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
    expect(getImageTag(reference)).toBe(tag);
  });
});

describe("cron schedules", () => {
  test.for(["* * * * *", "*/5 0-6 1,15 * mon", "@hourly", "@every 1h30m", "0 0 * jan sun"])("accept %s", (schedule) => {
    expect(findCronError(schedule)).toBeUndefined();
  });
  test.for(["", "* * * *", "60 * * * *", "* * 0 * *", "@sometimes"])("reject %s", (schedule) => {
    expect(findCronError(schedule)).toBeTypeOf("string");
  });
});

describe("addresses", () => {
  test("accept CIDR ranges within the address size", () => {
    expect(validateCidr("10.0.0.0/8")).toEqual([]);
    expect(validateCidr("2001:db8::/64")).toEqual([]);
    expect(validateCidr("10.0.0.0/33")).toHaveLength(1);
  });
  test("reject loopback, link-local and unspecified endpoint addresses", () => {
    for (const ip of ["0.0.0.0", "127.0.0.1", "169.254.1.1", "224.0.0.5", "::1"]) expect(validateEndpointIp(ip)).toHaveLength(1);
    expect(validateEndpointIp("10.0.0.1")).toEqual([]);
  });
  test("require the canonical form", () => {
    expect(validateCanonicalIp("10.0.0.1")).toEqual([]);
    expect(validateCanonicalIp("2001:DB8:0::1")).toEqual(['must be in canonical form ("2001:db8::1")']);
  });
});
