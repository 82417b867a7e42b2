import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createCertificateAuthority, issueCertificate, parseCertificateRequest } from "./index.ts";

const NOW = Date.UTC(2026, 2, 1);
const authority = createCertificateAuthority("test-ca", NOW);

/** Made by OpenSSL, for `/O=system:nodes/O=second/CN=system:node:a` and names of every type. */
const REQUESTS = {
  RSA: [
    "MIIB2jCCAUMCAQAwQDEVMBMGA1UECgwMc3lzdGVtOm5vZGVzMQ8wDQYDVQQKDAZzZWNvbmQxFjAUBgNVBAMMDXN5c3RlbTpub2RlOmEwgZ8wDQYJKoZIhvcNAQEBBQAD",
    "gY0AMIGJAoGBAN7w4U/Y/ntSsXCkqdGp4T449ffP4NidG4bkAlcbqX1JQ6RADrOJ6+6jSGigJB6KO0RrdGRXxuu70Y1xo3e7o7H9CJYuFDfqVLsJ1HKCWHopuUpAv51n",
    "qxKpHcrBOUVLOGL7mSYKdl1q4W69LTFyogmStDQoKh0FsRZ8v++Gc2CXAgMBAAGgWjBYBgkqhkiG9w0BCQ4xSzBJMEcGA1UdEQRAMD6CD3dlYi5leGFtcGxlLmNvbYcE",
    "CgAAB4cQ/QAAAAAAAAAAAAAAAAAAAYEFYUBiLmOGDHNwaWZmZTovL3gveTANBgkqhkiG9w0BAQsFAAOBgQCEayD+vXhy3VmPYj5jMncEBoMadL92nvKhmMMFrYgXwoVc",
    "uXCc86YjNpi7c0CKids1idxIO8aw35wN6WFhOb65c9y3oauiqZU5slBstxcrm4hJlpVRBBpwX3i6qqPXPDsKtfonpQ0kwE0xguyFXd93tQPA+zwVafK2zNPoIrSqsw==",
  ].join(""),
  "P-384": [
    "MIIBlDCCARkCAQAwQDEVMBMGA1UECgwMc3lzdGVtOm5vZGVzMQ8wDQYDVQQKDAZzZWNvbmQxFjAUBgNVBAMMDXN5c3RlbTpub2RlOmEwdjAQBgcqhkjOPQIBBgUrgQQA",
    "IgNiAARfu6roB6heYvuH5N0ZeDxWcqptid0sOYooSetyDGqRuTJqi7Q5v/1L/Mt5tbB41OLvn5jKEXl870YTvJxsBfMf4gQ4KpHjU/sZiV6acp2+VzDg0VnIsf5ru+VP",
    "X7eMjGagWjBYBgkqhkiG9w0BCQ4xSzBJMEcGA1UdEQRAMD6CD3dlYi5leGFtcGxlLmNvbYcECgAAB4cQ/QAAAAAAAAAAAAAAAAAAAYEFYUBiLmOGDHNwaWZmZTovL3gv",
    "eTAKBggqhkjOPQQDAgNpADBmAjEAx/y2ak6f+H1sT2hvtlsxhadcYZ5dZlEFrBhxvkUZrbYJqz967ew8qgdkvf2OCJEiAjEAnz28UBdgUqlbY3CP8MbvcIQPt0M2wnIS",
    "G0s5P9E1d0pv4rFoW4KTVoOR59NDKH1+",
  ].join(""),
  Ed25519: [
    "MIIBGjCBzQIBADBAMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxDzANBgNVBAoMBnNlY29uZDEWMBQGA1UEAwwNc3lzdGVtOm5vZGU6YTAqMAUGAytlcAMhAGMXmTgEMlrt",
    "lXGW+LoTZsR00eAwp+egEse44Hy6GOEDoFowWAYJKoZIhvcNAQkOMUswSTBHBgNVHREEQDA+gg93ZWIuZXhhbXBsZS5jb22HBAoAAAeHEP0AAAAAAAAAAAAAAAAAAAGB",
    "BWFAYi5jhgxzcGlmZmU6Ly94L3kwBQYDK2VwA0EATyjoIP/XQNjBQ9dkbQhDhQDtXzJqxKp/nityj76730Fb5pd3XklmN//zbpBGrWIaMB22Z7pLvLqqaED+sSMtBw==",
  ].join(""),
};

describe.each(Object.entries(REQUESTS))("a certificate signing request of OpenSSL with a key of %s", (_name, base64) => {
  const der = Buffer.from(base64, "base64");

  test("is parsed", () => {
    expect(parseCertificateRequest(der)).toMatchObject({
      subject: { commonName: "system:node:a", organizations: ["system:nodes", "second"] },
      dnsNames: ["web.example.com"],
      ipAddresses: ["10.0.0.7", "fd00:0:0:0:0:0:0:1"],
      emailAddresses: ["a@b.c"],
      uris: ["spiffe://x/y"],
    });
  });

  test("becomes a certificate that the authority has signed", () => {
    const usages = ["digital signature", "key encipherment", "server auth", "client auth"];
    const pem = issueCertificate(parseCertificateRequest(der), authority, { usages, notBefore: NOW, notAfter: NOW + 3600_000 });
    const certificate = new X509Certificate(pem);
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect(certificate.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
    expect(certificate.subject).toBe("O=system:nodes\nO=second\nCN=system:node:a");
    expect(certificate.subjectAltName).toContain("DNS:web.example.com, IP Address:10.0.0.7");
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
    expect([certificate.validFrom, certificate.validTo]).toEqual(["Mar  1 00:00:00 2026 GMT", "Mar  1 01:00:00 2026 GMT"]);
  });

  test("is refused when any part of the signed text was changed", () => {
    const changed = Buffer.from(der);
    changed[der.indexOf("second")] = 0x53;
    expect(() => parseCertificateRequest(changed)).toThrow("not signed with its own key");
  });

  test("is refused when it is cut off anywhere", () => {
    for (let length = 0; length < der.length; length++)
      expect(() => parseCertificateRequest(der.subarray(0, length))).toThrow(expect.objectContaining({ code: "PINTLE1061" }));
  });
});

test("a certificate does not outlive its authority", () => {
  const request = parseCertificateRequest(Buffer.from(REQUESTS.Ed25519, "base64"));
  const expires = Date.parse(new X509Certificate(authority.certificate).validTo);
  const issue = (notBefore: number) => issueCertificate(request, authority, { usages: ["any"], notBefore, notAfter: notBefore + 1e12 });
  expect(Date.parse(new X509Certificate(issue(NOW)).validTo)).toBe(expires);
  expect(() => issue(expires)).toThrow("the signer has expired");
});
