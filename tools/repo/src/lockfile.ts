/** One package of package-lock.json, as far as we read or write it. */
export interface LockedPackage {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

/** package-lock.json, as far as we read it. */
export interface Lockfile {
  packages: Record<string, LockedPackage>;
}

const PLATFORM =
  /-(?<os>aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-(?<cpu>arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64)(?:-(?<abi>[a-z]+))?$/;

/**
 * Adds the platform packages that npm left out of the lockfile, and returns their paths.
 *
 * npm omits an optional package that it could not fetch while it wrote the lockfile, such as the macOS build of a linter
 * on a Linux machine whose registry lacks it; `npm ci` then refuses the lockfile, and nobody on macOS gets that build.
 * The entries made here hold no checksum: npm writes it when the package is first installed for real.
 */
export function completeLockfile(lockfile: Lockfile): string[] {
  const added: string[] = [];
  for (const [parent, { dev, optionalDependencies = {} }] of Object.entries(lockfile.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const platform = platformOf(name);
      if (platform === undefined || !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)) continue;
      if (lockedVersions(lockfile, parent, name).includes(version)) continue;
      const hoisted = `node_modules/${name}`;
      const path = hoisted in lockfile.packages ? `${parent}/${hoisted}` : hoisted;
      lockfile.packages[path] = { version, ...platform, ...(dev ? { dev } : {}), optional: true };
      added.push(path);
    }
  }
  lockfile.packages = Object.fromEntries(
    Object.entries(lockfile.packages).sort(([one], [other]) => one.localeCompare(other, 'en')),
  );
  return added;
}

/** What `parent` may find under `name`, from its own node_modules outwards. */
function lockedVersions(lockfile: Lockfile, parent: string, name: string): (string | undefined)[] {
  const folders = parent
    .split('/node_modules/')
    .map((_, depth, parts) => parts.slice(0, depth + 1).join('/node_modules/'));
  return ['', ...folders.map((folder) => `${folder}/`)]
    .map((folder) => lockfile.packages[`${folder}node_modules/${name}`])
    .flatMap((found) => (found === undefined ? [] : [found.version]));
}

/** Platform packages carry their platform at the end of their name, as in `@biomejs/cli-linux-x64-musl`. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> | undefined {
  const { os, cpu, abi } = PLATFORM.exec(name)?.groups ?? {};
  if (os === undefined || cpu === undefined) return undefined;
  if (os !== 'linux') return { os: [os], cpu: [cpu] };
  return { os: [os], cpu: [cpu], libc: [abi?.startsWith('musl') ? 'musl' : 'glibc'] };
}
