import { parseImageReference } from "./image-reference.ts";

/** How an image runs on this machine. In every text, `$(POD_IP)` is the pod's address and `$(FILES)` the folder of `files`. */
export interface ImageEntry {
  /**
   * The entrypoint, used if the pod sets no command; the first word is searched on the PATH. A single program is replaced by arguments that
   * name another program, as in many entrypoint scripts. Default: none, the pod must set a command or arguments.
   */
  readonly command?: readonly string[] | undefined;
  /** The arguments, used if the pod sets none. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Environment variables. Default: none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The working directory. Default: that of the pod, or the root. */
  readonly workingDir?: string | undefined;
  /** Programs of the image, by name or path, and their path on this machine. Default: none. */
  readonly programs?: Readonly<Record<string, string>> | undefined;
  /** Configuration files, by name. Default: none. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** "uid" or "uid:gid", used if the pod sets none and the node runs as root. Default: the user of the node. */
  readonly user?: string | undefined;
  /** Overrides for the isolation mode "loopback". Default: none. */
  readonly loopback?: LoopbackOverrides | undefined;
  /**
   * A folder with an OCI layout whose image is unpacked and run; the other properties override its configuration. Default: programs of this
   * machine are run.
   */
  readonly layout?: string | undefined;
}

/** Changes of an image in the isolation mode "loopback". */
export interface LoopbackOverrides {
  /** Arguments to append, unless a given argument starts with one of `unless`. Default: none. */
  readonly append?: readonly string[] | undefined;
  /** Prefixes of arguments with which `append` is omitted. Default: none. */
  readonly unless?: readonly string[] | undefined;
  /** Replaces the arguments above, if the pod sets none. Default: `args` of the image. */
  readonly args?: readonly string[] | undefined;
}

/** Entries by image name: "memcached", "quay.io/coreos/etcd", "example.com/app:v2". */
export type ImageTable = Readonly<Record<string, ImageEntry>>;

const etcd: ImageEntry = {
  command: ["etcd"],
  programs: { etcd: "etcd", etcdctl: "etcdctl", etcdutl: "etcdutl" },
  loopback: {
    append: ["--listen-client-urls", "http://$(POD_IP):2379", "--advertise-client-urls", "http://$(POD_IP):2379"],
    unless: ["--listen-client-urls"],
  },
};
const redis: ImageEntry = {
  command: ["redis-server"],
  args: ["--protected-mode", "no"],
  programs: { "redis-server": "redis-server", "redis-cli": "redis-cli" },
  loopback: { append: ["--bind", "$(POD_IP)"], unless: ["--bind"] },
};
const shell: ImageEntry = { args: ["sh"] };

const NGINX_LOOPBACK = `daemon off;
pid $(FILES)/nginx.pid;
error_log stderr;
events {}
http {
  access_log /dev/stdout;
  client_body_temp_path $(FILES)/body;
  proxy_temp_path $(FILES)/proxy;
  fastcgi_temp_path $(FILES)/fastcgi;
  uwsgi_temp_path $(FILES)/uwsgi;
  scgi_temp_path $(FILES)/scgi;
  server {
    listen $(POD_IP):8080;
    location / { return 200 "pintle"; }
  }
}
`;

/** The images that every process node knows, if their programs are installed. */
export const DEFAULT_IMAGES: ImageTable = {
  memcached: {
    command: ["memcached"],
    programs: { memcached: "memcached" },
    user: "65534:65534",
    loopback: { append: ["-l", "$(POD_IP)"], unless: ["-l", "--listen"] },
  },
  "quay.io/coreos/etcd": etcd,
  "gcr.io/etcd-development/etcd": etcd,
  "registry.k8s.io/etcd": etcd,
  "bitnami/etcd": etcd,
  redis,
  "valkey/valkey": redis,
  nginx: {
    command: ["nginx"],
    args: ["-g", "daemon off; error_log stderr;"],
    programs: { nginx: "nginx" },
    files: { "nginx.conf": NGINX_LOOPBACK },
    loopback: { args: ["-e", "stderr", "-c", "$(FILES)/nginx.conf"] },
  },
  node: { command: ["node"], programs: { node: process.execPath } },
  busybox: shell,
  alpine: shell,
  debian: shell,
  ubuntu: shell,
  "registry.k8s.io/pause": { command: ["sleep", "infinity"] },
};

/** Finds the entry of an image. An entry with the exact tag takes precedence. */
export function findImageEntry(table: ImageTable, image: string): ImageEntry | undefined {
  const { name, tag } = parseImageReference(image);
  const tagged = Object.keys(table).find((key) => key.includes(":", key.lastIndexOf("/") + 1) && isSameImage(key, name, tag));
  const plain =
    tagged ?? Object.keys(table).find((key) => !key.includes(":", key.lastIndexOf("/") + 1) && parseImageReference(key).name === name);
  return plain === undefined ? undefined : table[plain];
}

function isSameImage(key: string, name: string, tag: string): boolean {
  const own = parseImageReference(key);
  return own.name === name && own.tag === tag;
}
