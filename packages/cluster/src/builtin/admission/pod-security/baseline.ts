import type { LifecycleHandler, Probe, SELinuxOptions } from "pintle/kinds/core/v1";
import type { Loose } from "../../draft.ts";
import { type AnyContainer, type Check, containersOf, hasOwnUsers, named, plural, quoted, setters, sorted, those } from "./check.ts";

const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
const PROFILES = new Set(["RuntimeDefault", "Localhost"]);

export const appArmorProfile: Check = ({ metadata, spec }) => {
  const typeOf = ({ securityContext }: Pick<AnyContainer, "securityContext">) => securityContext?.appArmorProfile?.type;
  const bad = (type: string | null | undefined) => type != null && !PROFILES.has(type);
  const pod = spec.securityContext?.appArmorProfile?.type;
  const containers = containersOf(spec).filter((each) => bad(typeOf(each)));
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key, value]) => key.startsWith(APP_ARMOR) && value && value !== "runtime/default" && !value.startsWith("localhost/"),
  );
  const values = [
    ...sorted([...(bad(pod) ? [pod as string] : []), ...containers.map((each) => typeOf(each) as string)]),
    ...annotations.map(([key, value]) => `${key}=${JSON.stringify(value)}`).sort(),
  ];
  if (values.length === 0) return undefined;
  const names = containers.map(({ name }) => name ?? "");
  const who = [setters(bad(pod), names), annotations.length === 0 ? "" : plural("annotation", annotations.length)].filter(
    (each) => each !== "",
  );
  return {
    reason: plural("forbidden AppArmor profile", values.length),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const DEFAULT_CAPABILITIES = new Set(
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(" "),
);

export const capabilities: Check = ({ spec }) => {
  const others = ({ securityContext }: AnyContainer) =>
    (securityContext?.capabilities?.add ?? []).filter((each) => !DEFAULT_CAPABILITIES.has(each));
  const bad = those(spec, (each) => others(each).length > 0);
  if (bad.length === 0) return undefined;
  const all = sorted(containersOf(spec).flatMap(others));
  return {
    reason: "non-default capabilities",
    detail: `${named("container", bad)} must not include ${quoted(all)} in securityContext.capabilities.add`,
  };
};

export const hostNamespaces: Check = ({ spec }) => {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]);
  return shared.length === 0 ? undefined : { reason: "host namespaces", detail: shared.map((field) => `${field}=true`).join(", ") };
};

export const hostPathVolumes: Check = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name ?? "");
  return names.length === 0 ? undefined : { reason: "hostPath volumes", detail: named("volume", names) };
};

export const hostPorts: Check = ({ spec }) => {
  const ports = ({ ports: all }: AnyContainer) => (all ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const bad = those(spec, (each) => ports(each).length > 0);
  if (bad.length === 0) return undefined;
  const all = sorted(containersOf(spec).flatMap(ports));
  return { reason: "hostPort", detail: `${named("container", bad)} ${uses(bad)} ${plural("hostPort", all.length)} ${all.join(", ")}` };
};

export const uses = (who: readonly string[]) => (who.length === 1 ? "uses" : "use");

export const hostProbes: Check = ({ spec, version }) => {
  if (version < 34) return undefined;
  const hostsOf = (handler: Loose<Probe> | Loose<LifecycleHandler> | null | undefined) =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host): host is string => !!host);
  const hosts = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer) =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(hostsOf);
  const bad = sorted(those(spec, (each) => hosts(each).length > 0));
  if (bad.length === 0) return undefined;
  const all = sorted(containersOf(spec).flatMap(hosts));
  return {
    reason: "probe or lifecycle host",
    detail: `${named("container", bad)} ${uses(bad)} ${plural("probe or lifecycle host", all.length)} ${quoted(all)}`,
  };
};

export const privileged: Check = ({ spec }) => {
  const bad = those(spec, ({ securityContext }) => securityContext?.privileged === true);
  return bad.length === 0
    ? undefined
    : { reason: "privileged", detail: `${named("container", bad)} must not set securityContext.privileged=true` };
};

export const anyProcMount: Check = ({ spec }) => {
  const typeOf = ({ securityContext }: AnyContainer) => securityContext?.procMount ?? "Default";
  const bad = those(spec, (each) => typeOf(each) !== "Default");
  if (bad.length === 0) return undefined;
  const types = sorted(containersOf(spec).map(typeOf)).filter((type) => type !== "Default");
  return { reason: "procMount", detail: `${named("container", bad)} must not set securityContext.procMount to ${quoted(types)}` };
};

export const procMount: Check = (subject) => (hasOwnUsers(subject) ? undefined : anyProcMount(subject));

const LABELS = ["", "container_t", "container_init_t", "container_kvm_t"];

export const seLinuxOptions: Check = ({ spec, version }) => {
  const allowed = version >= 31 ? [...LABELS, "container_engine_t"] : LABELS;
  const bad = (options: Loose<SELinuxOptions> | null | undefined) =>
    options != null && (!allowed.includes(options.type ?? "") || !!options.user || !!options.role);
  const pod = spec.securityContext?.seLinuxOptions;
  const containers = containersOf(spec).filter(({ securityContext }) => bad(securityContext?.seLinuxOptions));
  const wrong = [...(bad(pod) ? [pod!] : []), ...containers.map(({ securityContext }) => securityContext!.seLinuxOptions!)];
  if (wrong.length === 0) return undefined;
  const types = sorted(wrong.map(({ type }) => type ?? "").filter((type) => !allowed.includes(type)));
  const data = [
    ...(types.length === 0 ? [] : [named("type", types)]),
    ...(wrong.some(({ user }) => user) ? ["user may not be set"] : []),
    ...(wrong.some(({ role }) => role) ? ["role may not be set"] : []),
  ];
  const who = setters(
    bad(pod),
    containers.map(({ name }) => name ?? ""),
  );
  return { reason: "seLinuxOptions", detail: `${who} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}` };
};

export const seccompProfile: Check = ({ metadata, spec, version }) => {
  if (version < 19) {
    const fine = (value: string) => value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");
    const keys = [SECCOMP_POD, ...containersOf(spec).map(({ name }) => `${SECCOMP_CONTAINER}${name}`)];
    const bad = sorted(
      keys.flatMap((key) => {
        const value = metadata.annotations?.[key];
        return value == null || fine(value) ? [] : [`${key}=${JSON.stringify(value)}`];
      }),
    );
    return bad.length === 0
      ? undefined
      : { reason: "seccompProfile", detail: `forbidden ${plural("annotation", bad.length)} ${bad.join(", ")}` };
  }
  const typeOf = ({ securityContext }: Pick<AnyContainer, "securityContext">) => securityContext?.seccompProfile?.type;
  const bad = (type: string | null | undefined) => type != null && !PROFILES.has(type);
  const pod = spec.securityContext?.seccompProfile?.type;
  const containers = containersOf(spec).filter((each) => bad(typeOf(each)));
  if (!bad(pod) && containers.length === 0) return undefined;
  const values = sorted([...(bad(pod) ? [pod as string] : []), ...containers.map((each) => typeOf(each) as string)]);
  const names = containers.map(({ name }) => name ?? "");
  return {
    reason: "seccompProfile",
    detail: `${setters(bad(pod), names)} must not set securityContext.seccompProfile.type to ${quoted(values)}`,
  };
};

/** Harmless settings of the kernel, by the version that came to know them so. */
const SYSCTLS: Readonly<Record<number, readonly string[]>> = {
  0: [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
  ],
  27: ["net.ipv4.ip_local_reserved_ports"],
  29: ["net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes"],
  32: ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"],
};

export const sysctls: Check = ({ spec, version }) => {
  const allowed = Object.entries(SYSCTLS).flatMap(([since, names]) => (Number(since) <= version ? names : []));
  const others = (spec.securityContext?.sysctls ?? []).map(({ name }) => name ?? "").filter((name) => !allowed.includes(name));
  return others.length === 0 ? undefined : { reason: "forbidden sysctls", detail: others.join(", ") };
};

export const windowsHostProcess: Check = ({ spec }) => {
  const pod = spec.securityContext?.windowsOptions?.hostProcess === true;
  const bad = those(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  if (!pod && bad.length === 0) return undefined;
  return { reason: "hostProcess", detail: `${setters(pod, bad)} must not set securityContext.windowsOptions.hostProcess=true` };
};
