import { expect, it } from "vitest";
import { FORMATS } from "../../../server/src/schema/formats.ts";

it.each([
  ["date", ["2024-02-29", "0099-12-31"], ["2023-02-29", "2024-13-01", "2024-1-1", "24-01-01", ""]],
  ["time", ["23:59:60Z", "08:30:06.283185+02:00"], ["24:00:00Z", "12:00:00", "12:60:00Z", "12:00Z"]],
  [
    "date-time",
    ["1963-06-19T08:30:06.28Z", "1990-12-31t23:59:60z"],
    ["1963-06-19", "2023-02-30T00:00:00Z", "T08:30:06Z"],
  ],
  ["duration", ["P4DT12H30M5S", "P2W", "PT0S", "P1Y"], ["P", "PT", "4DT12H", "P1D2H", "P2W1D"]],
  [
    "email",
    ["joe.bloggs@example.com", "te~st@example.com"],
    ["not an email", "@b.org", ".a@b.org", "a..b@c.org", "a@b"],
  ],
  [
    "hostname",
    ["www.example.com", "xn--4gbwdl.xn--wgbh1c", "a"],
    ["-bad.com", "a_b.com", "a..b", "", `${"x".repeat(64)}.com`],
  ],
  ["ipv4", ["192.168.0.1"], ["256.1.1.1", "1.2.3", "1.2.3.4.5"]],
  ["ipv6", ["::1", "::ffff:192.168.0.1"], ["12345::", "fe80::a%eth1", "1::2::3"]],
  [
    "uri",
    ["http://foo.bar/?baz=qux#quux", "mailto:a@b.org", "urn:isbn:1", "file:///a%20b"],
    ["/abc", "\\\\WINDOWS", "http://a b", "http://x:y/", "a:%zz", "http://ä.de"],
  ],
  ["uri-reference", ["/abc", "#fragment", "../a?b=c", "http://a.b"], ["\\\\WINDOWS", "a b", "{x}"]],
  ["uuid", ["2EB8AA08-aa98-11ea-b4aa-73b441d16380"], ["2eb8aa08aa9811eab4aa73b441d16380", "2eb8-aa08"]],
  ["json-pointer", ["", "/foo/0", "/a~1b/~0"], ["foo", "/a~2", "/~"]],
  ["regex", ["([abc])+\\s+$", ""], ["^(abc]", "a{2,1}"]],
] as const)("the format %s takes what it means and nothing else", (name, good, bad) => {
  const check = FORMATS[name];
  expect(good.filter((text) => check?.(text) !== true)).toEqual([]);
  expect(bad.filter((text) => check?.(text) !== false)).toEqual([]);
});
