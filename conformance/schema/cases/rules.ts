import type { Json, JsonObject } from "pintle/kinds";
import { type CrdCase, group, specSuite, type Suite } from "../../../packages/cluster/test/schema/suite.ts";

const text = { type: "string", maxLength: 20 };
const integer = { type: "integer" };
const many = { maxItems: 5 };

/** Something of every type that rules can see. */
const fields = {
  s: text,
  i: integer,
  j: integer,
  d: { type: "number" },
  b: { type: "boolean" },
  n: { type: "string", nullable: true, maxLength: 20 },
  ios: { "x-kubernetes-int-or-string": true, maxLength: 20 },
  dur: { type: "string", format: "duration", maxLength: 20 },
  ts: { type: "string", format: "date-time", maxLength: 40 },
  day: { type: "string", format: "date", maxLength: 10 },
  by: { type: "string", format: "byte", maxLength: 20 },
  li: { type: "array", items: integer, ...many },
  ls: { type: "array", items: text, ...many },
  set: { type: "array", "x-kubernetes-list-type": "set", items: text, ...many },
  keyed: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], items: { type: "object", required: ["k"], properties: { k: text, v: integer } }, ...many },
  m: { type: "object", additionalProperties: integer, maxProperties: 5 },
  o: { type: "object", properties: { a: text, b: { type: "object", properties: { c: integer } } } },
  lo: { type: "array", items: { type: "object", properties: { a: text, n: integer } }, ...many },
  "if": text,
  "a.b": text,
  "c-d": text,
  "e/f": text,
  g__h: text,
};

const value: JsonObject = {
  s: "héllo",
  i: 7,
  j: -3,
  d: 2.5,
  b: true,
  ios: "50%",
  dur: "1h30m",
  ts: "2024-02-29T12:34:56.789Z",
  day: "2024-02-29",
  by: "aGVsbG8=",
  li: [3, 1, 2],
  ls: ["b", "a", "c"],
  set: ["x", "y"],
  keyed: [{ k: "a", v: 1 }, { k: "b", v: 2 }],
  m: { one: 1, two: 2 },
  o: { a: "x", b: { c: 3 } },
  lo: [{ a: "p", n: 1 }, { a: "q", n: 2 }, { n: 3 }],
  "if": "1",
  "a.b": "2",
  "c-d": "3",
  "e/f": "4",
  g__h: "5",
};

const rules = (...sources: string[]): Json => sources.map((rule) => ({ rule }));

/** Each source is a rule over .spec; those that are false, or fail, are in the answer. */
function expressions(name: string, ...sources: string[]): Suite {
  return specSuite(name, { type: "object", properties: fields, "x-kubernetes-validations": rules(...sources) }, { value });
}

const operators = expressions(
  "celoperators",
  "self.i + self.j == 4", "self.i - self.j == 10", "self.i * self.j == -21", "self.i / self.j == -2", "self.i % self.j == 1", "-self.i == -7", "self.d / 2.0 == 1.25",
  "self.i > 6.5", "self.d < 3", "self.i == 8", "self.s != 'x'", "self.s < 'i'", "self.b && self.i > 100", "self.b || self.i > 100", "!self.b", "self.b ? self.i == 1 : true",
  "self.i / (self.i - 7) == 1", "self.i % (self.i - 7) == 1", "9223372036854775807 + self.i > 0", "-9223372036854775807 - self.i < 0",
  "self.li[0] == 4", "self.li[5] == 4", "self.li[-1] == 4", "self.m['one'] == 2", "self.m['three'] == 1", "self.m.two == 3", "'one' in self.m && 'x' in self.m", "4 in self.li",
  "self.li + [4] == [3, 1, 2, 4]", "size(self.s) == 6", "self.ls.size() == 4", "size(self.m) == 3", "size(self.by) == 4", "[1, 2, 3] == [1, 2]", "{'a': 1} == {'a': 2}", "{'a': 1, 'b': 2}['b'] == 1",
  "type(self.i) == string", "type(self.ios) == string && self.ios == 'x'", "type(self.lo) == list && false", "dyn(self.i) == 'a'", "self.ios + 1 == 2", "self.ios > 5", "self.ios == 5",
  "has(self.n)", "has(self.o.b.c) && !has(self.o.a)", "has(self.m.one) && !has(self.m.two)", "self.n == 'x'", "self.o.b.c == 4", "self.lo[2].a == 'x'", "has(self.lo[2].a)",
  "self.__if__ == '0'", "self.a__dot__b == '0'", "self.c__dash__d == '0'", "self.e__slash__f == '0'", "self.g__underscores__h == '0'",
  "self.o.b == self.o.b && false", "self.set == ['y', 'x'] && false", "self.set + ['x', 'z'] == ['x', 'y', 'z'] && false", "self.keyed == self.keyed && false",
  "0x1F == 30", "1e3 == 999.0", "'a\\tb' == 'a'", 'r"a\\d" == "a"', "b'abc' == b'abd'", "1u == 2u", "1u + 1u == 3u", "null == null && false",
);
const conversions = expressions(
  "celconversions",
  "int('12') == 13", "int(self.s) == 1", "uint(self.j) == 1u", "bool(self.s)", "int(self.ls.join('')) == 1", "int(3.9) == 4", "uint('3') == 4u", "double('1.5') == 2.0", "double(self.i) == 8.0", "string(self.i) == '8'", "string(self.d) == '2.50'",
  "string(self.b) == 'false'", "string(1e30) == 'x'", "string(0.00001) == 'x'", "bool('true') == false", "bytes('é') == b'e'", "string(self.by) == 'hallo'", "string(duration('90s')) == 'x'", "string(timestamp('2024-01-01T00:00:00Z')) == 'x'",
  "self.dur == duration('1h')", "self.dur > duration('2h')", "self.dur.getMinutes() == 89", "self.dur.getHours() == 2", "self.dur.getSeconds() == 1", "self.dur.getMilliseconds() == 1", "self.dur + duration('30m') == duration('3h')", "duration('x' + self.s) == self.dur",
  "self.ts.getFullYear() == 2023", "self.ts.getMonth() == 2", "self.ts.getDate() == 28", "self.ts.getDayOfMonth() == 29", "self.ts.getDayOfWeek() == 5", "self.ts.getDayOfYear() == 60", "self.ts.getHours() == 11", "self.ts.getHours('America/New_York') == 12", "self.ts.getHours('+02:00') == 12", "self.ts.getMinutes() == 33", "self.ts.getSeconds() == 55", "self.ts.getMilliseconds() == 788", "self.ts.getHours('Nowhere/Else') == 1",
  "self.ts - self.day == duration('1h')", "self.ts > timestamp('2025-01-01T00:00:00Z')", "self.day == timestamp('2024-02-28T00:00:00Z')", "int(self.ts) == 1", "timestamp(0) == self.ts", "timestamp(self.s) == self.ts", "self.ts + duration('1h') == self.ts",
);
const strings = expressions(
  "celstrings",
  "self.s.contains('xx')", "self.s.startsWith('x')", "self.s.endsWith('x')", "self.s.matches('^h.{3}$')", "self.s.matches('^h.{4}$') && false", "matches(self.s, 'x')", "self.s.charAt(1) == 'e'", "self.s.charAt(9) == ''", "self.s.indexOf('l') == 3", "self.s.indexOf('l', 3) == 4", "self.s.indexOf('z') == 0", "self.s.lastIndexOf('l') == 2", "self.s.lastIndexOf('l', 2) == 3",
  "self.s.upperAscii() == 'HELLO'", "'ABC'.lowerAscii() == 'Abc'", "self.s.replace('l', 'L') == 'x'", "self.s.replace('l', 'L', 1) == 'x'", "self.s.replace('', '-') == 'x'", "self.s.split('l') == ['x']", "'a,b,c'.split(',', 2) == ['a', 'b', 'c']", "self.s.substring(2) == 'lo'", "self.s.substring(1, 3) == 'x'", "self.s.substring(3, 1) == 'x'", "self.s.substring(9) == 'x'", "'  a '.trim() == ' a'",
  "self.ls.join() == 'abc'", "self.ls.join('-') == 'abc'", "self.s.find('l+') == 'l'", "self.s.findAll('[a-z]').size() == 5", "self.s.findAll('[a-z]', 2).size() == 1", "'a %s b'.format(['x']) == ''", "'%d-%d'.format([1, 2]) == ''", "'%.1f'.format([1.25]) == ''", "'%s'.format([[1, 2]]) == ''", "'%x'.format([255]) == ''", "'%b'.format([5]) == ''", "strings.quote('a\"b') == ''", "'%e'.format([12345.678]) == ''",
);
const lists = expressions(
  "cellists",
  "self.li.all(x, x > 1)", "self.li.exists(x, x > 3)", "self.li.exists_one(x, x > 1)", "self.li.map(x, x * 2) == [6, 2]", "self.li.map(x, x > 1, x * 2) == [6]", "self.li.filter(x, x > 1) == [3]", "self.m.all(k, self.m[k] > 1)", "self.m.exists(k, k == 'x')", "self.lo.all(x, x.a != 'p')", "self.lo.exists(x, x.a == 'p') && false", "self.lo.all(x, x.a == 'p')", "self.lo.all(x, has(x.a))", "self.lo.exists(x, x.a == 'zz')",
  "self.li.isSorted()", "self.ls.isSorted()", "self.li.sum() == 7", "[1.5, 2.5].sum() == 3.0", "self.li.min() == 2", "self.li.max() == 2", "self.ls.max() == 'b'", "self.li.filter(x, x > 9).min() == 1", "self.li.filter(x, x > 9).sum() == 1", "self.li.indexOf(1) == 0", "self.li.lastIndexOf(9) == 0", "self.li.sort() == [3]", "self.lo.sortBy(x, -x.n)[0].n == 1", "self.li.reverse() == [3]", "[1, 1, 2].distinct() == [1]", "[[1], [2, 3]].flatten() == [1]", "lists.range(3) == [1]", "self.li.slice(0, 2) == [3]", "self.li.slice(2, 9) == [3]", "self.li.first().value() == 1", "self.li.last().orValue(0) == 1",
  "self.li.all(i, x, x > i)", "self.li.exists(i, x, x == i && i > 5)", "self.m.transformMap(k, v, v + 1) == {'one': 1}", "self.li.transformList(i, x, i * x) == [1]", "self.m.transformMapEntry(k, v, {v: k}) == {1: 'x'}", "self.m.transformMap(k, v, v > 1, v) == {'one': 1}", "sets.contains(self.li, [1, 9])", "sets.equivalent(self.ls, ['a'])", "sets.intersects(self.li, [8])",
);
const optionals = expressions(
  "celoptionals",
  "self.?n.orValue('d') == 'x'", "self.?s.orValue('d') == 'x'", "self.?o.?b.?c.orValue(0) == 1", "self.?n.hasValue()", "self.?n.value() == 'x'", "self.lo[?9].hasValue()", "self.lo[?0].?a.orValue('') == 'x'", "self.m[?'zzz'].orValue(5) == 6", "self.?n.or(self.?s).value() == 'x'", "optional.of(1).value() == 2", "optional.none().hasValue()", "optional.ofNonZeroValue('').hasValue()", "self.?i.optMap(x, x + 1).value() == 7", "self.?o.optFlatMap(x, x.?a).value() == 'y'", "[?self.?n, 'x'].size() == 2", "{?'k': self.?n}.size() == 1", "optional.of(1) == optional.of(2)", "[optional.of(1), optional.none()].unwrapOpt() == [2]",
);
const libraries = expressions(
  "cellibraries",
  "isURL('http://a.b/c') && false", "isURL('a b')", "url('https://u@ex.com:8080/p/q%20r?k=v&k=w').getHost() == ''", "url('https://ex.com:8080/p').getHostname() == ''", "url('https://ex.com:8080/p').getPort() == ''", "url('https://ex.com/p?k=v&k=w').getQuery() == {'k': ['v']}", "url('https://ex.com/p%20q').getEscapedPath() == ''", "url('HTTPS://ex.com').getScheme() == ''", "url('../x').getHost() == ''", "url('https://a') == url('https://b')",
  "isIP('1.2.3.4') && false", "isIP('1.2.3')", "isIP('::ffff:1.2.3.4')", "ip('1.2.3.4').family() == 6", "ip('::1').isLoopback() && false", "ip('10.0.0.1').isGlobalUnicast() && false", "ip('169.254.1.1').isLinkLocalUnicast() && false", "ip('224.0.0.1').isLinkLocalMulticast() && false", "ip('0.0.0.0').isUnspecified() && false", "ip.isCanonical('2001:DB8::1')", "string(ip('2001:0db8:0:0::1')) == ''", "ip('x').family() == 4", "ip('fe80::1%eth0').family() == 6",
  "isCIDR('10.0.0.0/8') && false", "isCIDR('10.0.0.0')", "cidr('10.0.0.0/8').containsIP('11.0.0.1')", "cidr('10.0.0.0/8').containsIP(ip('10.1.1.1')) && false", "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && false", "cidr('10.0.0.0/8').containsCIDR('0.0.0.0/0')", "cidr('10.1.2.3/8').masked() == cidr('10.1.2.3/8')", "cidr('10.1.2.3/8').prefixLength() == 9", "string(cidr('10.1.2.3/8').ip()) == ''", "cidr('10.0.0.0/99').prefixLength() == 1",
  "isQuantity('1Gi') && false", "isQuantity('1 G')", "quantity('1Gi').compareTo(quantity('1024Mi')) == 1", "quantity('500m').isLessThan(quantity('0.4'))", "quantity('2').isGreaterThan(quantity('3'))", "quantity('1k').asInteger() == 1", "quantity('1.5').isInteger()", "quantity('1.5').asInteger() == 1", "quantity('1.5').asApproximateFloat() == 2.0", "quantity('1').add(quantity('1')) == quantity('3')", "quantity('1').sub(5).compareTo(quantity('-4')) == 1", "sign(quantity('-1')) == 1", "quantity('x') == quantity('1')", "quantity('1') == quantity('1000m') && false",
  "isSemver('1.2.3') && false", "isSemver('v1.2')", "isSemver('v1.2', true) && false", "semver('1.2.3').major() == 2", "semver('1.2.3').minor() == 1", "semver('1.2.3').patch() == 1", "semver('1.0.0-rc.1').isLessThan(semver('1.0.0')) && false", "semver('1.2.3').compareTo(semver('1.10.0')) == 1", "semver('x').major() == 1", "semver('1.2.3') == semver('1.2.4')",
  "format.dns1123Label().validate('Abc').hasValue() && false", "!format.dns1123Subdomain().validate('a_b').hasValue()", "format.named('uuid').hasValue() && false", "format.named('nope').hasValue()", "format.date().validate('x').value() == []", "format.labelValue().validate('-').orValue([]).size() == 0", "format.uri().validate('x').hasValue() && false",
);

const dynamic = specSuite(
  "celdynamic",
  {
    type: "object",
    properties: { ios: { "x-kubernetes-int-or-string": true, maxLength: 20 } },
    "x-kubernetes-validations": rules(
      "self.ios.startsWith('5')", "size(self.ios) == 1", "self.ios.size() == 1", "self.ios.matches('5')", "int(self.ios) == 6", "string(self.ios) == '6'", "self.ios in ['5']", "self.ios in [5]", "self.ios[0] == 1", "self.ios.foo == 1", "has(self.ios.foo)", "self.ios.all(x, true)", "-self.ios == 1", "!self.ios", "self.ios && true", "self.ios ? true : false", "self.ios == '5'", "self.ios != 5", "self.ios < '6'", "self.ios.indexOf('5') == 1", "self.ios.upperAscii() == 'A'", "quantity(self.ios).isInteger()", "self.ios.?x.hasValue()", "[self.ios] == ['5']", "dyn([1, 2]) == [1]", "self.ios.exists(x, x == 1)", "duration(self.ios) == duration('5s')", "self.ios.join() == 'a'", "self.ios.orValue(1) == 1", "type(self.ios) == int && false", "self.ios == 5.0 && false",
    ),
  },
  { number: { ios: 5 }, text: { ios: "5" } },
);

const guarded = specSuite(
  "celmessages",
  {
    type: "object",
    properties: { min: integer, max: integer, name: text, list: { type: "array", items: { type: "object", properties: { port: integer }, "x-kubernetes-validations": [{ rule: "self.port > 0", message: "port must be positive" }] }, ...many }, labels: { type: "object", additionalProperties: { type: "string", maxLength: 9, "x-kubernetes-validations": [{ rule: "self != 'bad'", fieldPath: "" }] }, maxProperties: 5 } },
    "x-kubernetes-validations": [
      { rule: "self.min <= self.max", message: "min must not exceed max", fieldPath: ".min", reason: "FieldValueForbidden" },
      { rule: "!has(self.name) || self.name != 'root'", messageExpression: "'name must not be ' + self.name", fieldPath: ".name", reason: "FieldValueDuplicate" },
      { rule: "!has(self.name) || self.name != 'required'", message: "please", reason: "FieldValueRequired" },
      { rule: "self.max < 100", messageExpression: "self.name", message: "fallback" },
      { rule: "self.max < 200", messageExpression: "''" },
    ],
  },
  {
    fine: { min: 1, max: 2 },
    wrong: { min: 3, max: 2 },
    missing: { min: 3 },
    named: { min: 1, max: 2, name: "root" },
    required: { min: 1, max: 2, name: "required" },
    big: { min: 1, max: 150 },
    bigNamed: { min: 1, max: 150, name: "x" },
    huge: { min: 1, max: 250 },
    items: { min: 1, max: 2, list: [{ port: 1 }, { port: 0 }, {}], labels: { a: "ok", b: "bad" } },
    blocked: { min: "x", max: 2 },
    tooMany: { min: 3, max: 2, list: [{}, {}, {}, {}, {}, {}] },
    notBlocked: { min: 3, max: 2, labels: { a: "ok" } },
    nullList: { min: 1, max: 2, list: null },
  },
);

const change = (name: string, old: object, next: object) => ({ name, old: { spec: old as JsonObject }, object: { spec: next as JsonObject } });
const transitions: Suite = {
  name: "celtransitions",
  schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          fixed: { type: "string", maxLength: 9, "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is immutable" }] },
          grows: { type: "integer", "x-kubernetes-validations": [{ rule: "self >= oldSelf" }] },
          maybe: { type: "string", maxLength: 9, "x-kubernetes-validations": [{ rule: "!oldSelf.hasValue() || oldSelf.value() == self", optionalOldSelf: true, message: "only once" }] },
          keyed: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], items: { type: "object", required: ["k"], properties: { k: text, v: integer }, "x-kubernetes-validations": [{ rule: "self.v >= oldSelf.v", message: "v may only grow" }] }, ...many },
          m: { type: "object", maxProperties: 5, additionalProperties: { type: "integer", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] } },
        },
        "x-kubernetes-validations": [{ rule: "!has(oldSelf.fixed) || has(self.fixed)", message: "fixed may not be removed" }],
      },
    },
  },
  cases: [
    { name: "create", object: { spec: { fixed: "a", grows: 1, maybe: "x" } } },
    change("same", { fixed: "a", grows: 1 }, { fixed: "a", grows: 1 }),
    change("changed", { fixed: "a", grows: 2 }, { fixed: "b", grows: 1 }),
    change("removed", { fixed: "a" }, {}),
    change("added", {}, { fixed: "a", grows: 1, maybe: "y" }),
    change("optional changed", { maybe: "x" }, { maybe: "y" }),
    change("keyed shrinks", { keyed: [{ k: "a", v: 2 }, { k: "b", v: 2 }] }, { keyed: [{ k: "b", v: 3 }, { k: "a", v: 1 }, { k: "c", v: 0 }] }),
    change("map", { m: { a: 1, b: 2 } }, { m: { a: 1, b: 3, c: 4 } }),
  ],
};

const ratcheted: Suite = {
  name: "celratcheting",
  before: { type: "object", properties: { spec: { type: "object", properties: { a: integer, b: text, o: { type: "object", properties: { x: integer, y: integer } }, l: { type: "array", items: integer, ...many } } } } },
  schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          a: { type: "integer", "x-kubernetes-validations": [{ rule: "self < 5" }] },
          b: text,
          o: { type: "object", properties: { x: integer, y: integer }, "x-kubernetes-validations": [{ rule: "self.x < 5" }] },
          l: { type: "array", items: { type: "integer", "x-kubernetes-validations": [{ rule: "self < 5" }] }, ...many },
        },
        "x-kubernetes-validations": [{ rule: "!has(self.b) || self.b != 'bad'" }],
      },
    },
  },
  cases: [
    change("kept", { a: 9 }, { a: 9, b: "x" }),
    change("changed", { a: 9 }, { a: 8 }),
    change("object kept", { o: { x: 9 } }, { o: { x: 9 }, b: "x" }),
    change("object changed beside", { o: { x: 9 } }, { o: { x: 9, y: 1 } }),
    change("list kept", { l: [9, 1] }, { l: [9, 1], b: "x" }),
    change("list changed", { l: [9, 1] }, { l: [9, 2] }),
    change("spec changed", { b: "bad" }, { b: "bad", a: 1 }),
    change("spec kept", { b: "bad" }, { b: "bad" }),
  ],
};

const rooted: Suite = {
  name: "celroot",
  schema: {
    type: "object",
    properties: {
      spec: { type: "object", properties: { a: integer, e: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-validations": [{ rule: "self.kind != 'Pod'" }, { rule: "self.metadata.name == 'x'" }] } } },
      status: { type: "object", properties: { a: integer } },
    },
    "x-kubernetes-validations": [
      { rule: "self.metadata.name.startsWith('case-')" },
      { rule: "self.kind == 'Other'" },
      { rule: "!has(self.spec) || !has(self.status) || self.spec.a == self.status.a", message: "must agree" },
    ],
  },
  version: { subresources: { status: {} } },
  cases: [
    { name: "names", object: { spec: { a: 1 } } },
    { name: "embedded", object: { spec: { e: { apiVersion: "v1", kind: "Pod", metadata: { name: "y" } } } } },
  ],
};

const deep = specSuite("celdeep", { type: "object", properties: { l: { type: "array", maxItems: 30, items: { type: "array", maxItems: 30, items: { type: "string", maxLength: 1 } } } }, "x-kubernetes-validations": [{ rule: "self.l.all(x, self.l.all(y, x.all(a, y.all(b, a == b || a != b))))", message: "deep" }] }, {
  small: { l: [["a"]] },
  big: { l: Array.from({ length: 30 }, () => Array.from({ length: 30 }, (_, i) => String.fromCodePoint(97 + i))) },
});

export const ruleSuites: readonly Suite[] = [operators, conversions, strings, lists, optionals, libraries, dynamic, guarded, transitions, ratcheted, rooted];
export const expensiveSuites: readonly Suite[] = [deep];

const crd = (name: string, spec: JsonObject): CrdCase => ({
  name,
  crd: {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: { group, names: { plural: "things", kind: "Thing" }, scope: "Namespaced", versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }] },
  },
});
const withRules = (name: string, ...sources: (string | JsonObject)[]): CrdCase =>
  crd(name, { type: "object", properties: { s: text, i: integer, l: { type: "array", items: text, ...many }, m: { type: "object", additionalProperties: integer, maxProperties: 5 }, free: { "x-kubernetes-preserve-unknown-fields": true }, n: { type: "number" } }, "x-kubernetes-validations": sources.map((rule) => (typeof rule === "string" ? { rule } : rule)) });
const unbounded = (name: string, field: JsonObject, rule: string): CrdCase => crd(name, { type: "object", properties: { v: field }, "x-kubernetes-validations": [{ rule }] });

export const ruleCrds: readonly CrdCase[] = [
  withRules("rule: undeclared variable", "slef.i > 1"),
  withRules("rule: undeclared field", "self.x > 1", "self.s.y == 'a'"),
  withRules("rule: undeclared function", "self.s.shout() == 'a'", "shout(self.s)"),
  withRules("rule: no overload", "self.i + self.s == 'a'", "self.i == self.s", "self.i && true", "!self.s", "self.s.startsWith(1)", "self.l[0] + 1 == 2", "self.m['a'] == 'x'", "self.i == 1.0"),
  withRules("rule: several errors", "self.x == self.y && self.i > 'a'"),
  withRules("rule: not a bool", "self.s", "self.i + 1"),
  withRules("rule: mixed list", "[1, 'a'].size() == 2", "{'a': 1, 2: 3}.size() == 2", "'%s %d'.format(['a', 1]) == ''"),
  withRules("rule: untyped field", "self.free.x == 1"),
  withRules("rule: bad literals", "duration('x') == duration('1s')", "timestamp('x') == timestamp('y')", "self.s.matches('(')"),
  withRules("rule: has of no field", "has(self)", "has(self.s) && has(self.x)"),
  withRules("rule: macros", "self.l.all(1, true)", "self.i.all(x, true)", "self.l.all(x, x)", "self.l.map(x, y)"),
  withRules("rule: message expressions", { rule: "true", messageExpression: "self.i" }, { rule: "true", messageExpression: "self.x" }),
  withRules("rule: constants without a value", "int('x') == 1", "int('9223372036854775808') == 1", "uint(-1) == 1u", "bool('maybe')", "self.s.find('(') == ''"),
  withRules("rule: formats", "'%s %s'.format(['a']) == ''", "'%d'.format(['a']) == ''", "'%s'.format(['a', 'b']) == ''", "'%q'.format(['a']) == ''", "self.s.format([1]) == ''"),
  withRules("rule: optionalOldSelf without oldSelf", { rule: "true", optionalOldSelf: true }),
  withRules("rule: line and column", "true &&\n  self.zzz == 1 // comment"),
  withRules("rule: wide characters", "'äöü' == self.zzz"),
  withRules("rule: indexes", "self.l['a'] == 'b'", "self.m[1] == 2", "self.s[0] == 'a'", "self.i.foo == 1"),
  withRules("rule: optional fields", "self.?x.hasValue()", "self.s.?y.hasValue()", "self.?i + 1 == 2"),
  withRules("rule: types", "type(self.i) == 'int'", "int(self.l) == 1", "self.n == 1", "self.n == 1.0"),
  crd("rule: oldSelf in a list", { type: "object", properties: { l: { type: "array", maxItems: 5, items: { type: "string", maxLength: 5, "x-kubernetes-validations": [{ rule: "self == oldSelf" }] } } } }),
  crd("rule: oldSelf in a set", { type: "object", properties: { l: { type: "array", maxItems: 5, "x-kubernetes-list-type": "set", items: { type: "string", maxLength: 5, "x-kubernetes-validations": [{ rule: "self == oldSelf" }] } } } }),
  crd("rule: on a list without types", { type: "object", properties: { l: { type: "array", items: { "x-kubernetes-preserve-unknown-fields": true }, "x-kubernetes-validations": [{ rule: "self.size() > 0" }] } } }),
  crd("rule: a default that breaks a rule", { type: "object", properties: { a: { type: "integer", default: 5, "x-kubernetes-validations": [{ rule: "self < 5", message: "too big" }] } } }),
  crd("rule: a default that keeps a rule", { type: "object", default: { a: 1 }, properties: { a: integer }, "x-kubernetes-validations": [{ rule: "self.a == 1" }] }),

  unbounded("cost: pattern over an unlimited string", { type: "string" }, "self.v.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')"),
  unbounded("cost: comparison of unlimited strings", { type: "string" }, "self.v == self.v + 'x'"),
  unbounded("cost: contains", { type: "string" }, "self.v.contains(self.v)"),
  unbounded("cost: all over an unlimited list", { type: "array", items: { type: "string" } }, "self.v.all(x, x.startsWith('a'))"),
  unbounded("cost: all within all", { type: "array", items: integer }, "self.v.all(x, self.v.all(y, x == y))"),
  unbounded("cost: all within all, limited", { type: "array", maxItems: 100, items: integer }, "self.v.all(x, self.v.all(y, x == y))"),
  unbounded("cost: all within all, limited loosely", { type: "array", maxItems: 2000, items: integer }, "self.v.all(x, self.v.all(y, x == y))"),
  unbounded("cost: unique names", { type: "array", maxItems: 500, items: { type: "object", properties: { name: { type: "string", maxLength: 63 } } } }, "self.v.all(x, self.v.exists_one(y, x.name == y.name))"),
  unbounded("cost: map values", { type: "object", additionalProperties: { type: "string" } }, "self.v.all(k, self.v[k].size() < 5)"),
  unbounded("cost: map of lists", { type: "object", additionalProperties: { type: "array", items: { type: "string" } } }, "self.v.all(k, self.v[k].all(x, x == k))"),
  unbounded("cost: sort", { type: "array", items: integer }, "self.v.sort() == self.v"),
  unbounded("cost: isSorted", { type: "array", items: { type: "string" } }, "self.v.isSorted()"),
  unbounded("cost: join and split", { type: "array", items: { type: "string" } }, "self.v.join(',').split(',') == self.v"),
  unbounded("cost: optMap", { type: "string", maxLength: 20 }, "self.?v.optMap(x, x + '!').hasValue()"),
  unbounded("cost: quantity", { type: "string" }, "quantity(self.v).isGreaterThan(quantity('1'))"),
  unbounded("cost: int-or-string", { "x-kubernetes-int-or-string": true }, "string(self.v).matches('^[0-9]+%?$')"),
  unbounded("cost: replace", { type: "string" }, "self.v.replace('a', 'bb').replace('b', 'cc').size() > 1"),
  unbounded("cost: enum", { type: "string", enum: ["a", "b"] }, "self.v.matches('a')"),
  unbounded("cost: filter and map", { type: "array", maxItems: 1000, items: { type: "object", properties: { a: { type: "string", maxLength: 200 } } } }, "self.v.filter(x, has(x.a)).map(x, x.a).all(a, self.v.exists(y, y.a == a))"),
  unbounded("cost: sets", { type: "array", maxItems: 9000, items: { type: "string", maxLength: 10 } }, "sets.contains(self.v, self.v)"),
  crd("cost: a rule in an unlimited list", { type: "object", properties: { l: { type: "array", items: { type: "object", properties: { a: { type: "string", maxLength: 1000 } }, "x-kubernetes-validations": [{ rule: "self.a.matches('^a+$')" }] } } } }),
  crd("cost: a rule in a limited list", { type: "object", properties: { l: { type: "array", maxItems: 100, items: { type: "object", properties: { a: { type: "string", maxLength: 1000 } }, "x-kubernetes-validations": [{ rule: "self.a.matches('^a+$')" }] } } } }),
  crd("cost: a rule in a list in a map", { type: "object", properties: { m: { type: "object", maxProperties: 100, additionalProperties: { type: "array", maxItems: 1000, items: { type: "string", maxLength: 100, "x-kubernetes-validations": [{ rule: "self.size() > 1 && self.startsWith('a')" }] } } } } }),
  crd("cost: many rules together", { type: "object", properties: { l: { type: "array", maxItems: 10000, items: { type: "string", maxLength: 100, "x-kubernetes-validations": Array.from({ length: 12 }, (_, i) => ({ rule: `self.contains('${"x".repeat(20 + i)}')` })) } } } }),
  crd("cost: a message expression", { type: "object", properties: { s: { type: "string" } }, "x-kubernetes-validations": [{ rule: "true", messageExpression: "self.s.replace('a', self.s)" }] }),
];
