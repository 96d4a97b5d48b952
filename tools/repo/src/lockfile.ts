/** The fields of a package in package-lock.json that are read or written here. */
export interface LockedPackage {
  /** Present if it is another package than its path says. */
  name?: string;
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

/** The fields of package-lock.json that are read here. */
export interface Lockfile {
  packages: Record<string, LockedPackage>;
}

const PLATFORM =
  /-(?<os>aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-(?<cpu>arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64)(?:-(?<abi>[a-z]+))?$/;

/**
 * Adds the platform packages that npm left out of the lockfile, and returns their paths.
 *
 * npm omits an optional package that it could not fetch while it wrote the lockfile, such as the macOS build of a linter on
 * a Linux machine whose registry lacks it. Then `npm ci` refuses the lockfile and macOS users don't get that build. The
 * added entries have no checksum: npm writes it at the first installation.
 */
export function completeLockfile(lockfile: Lockfile): string[] {
  const added: string[] = [];
  for (const [parent, { dev, optionalDependencies = {} }] of Object.entries(lockfile.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const platform = platformOf(name);
      if (platform === undefined || !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)) continue;
      const locked = lockedPackages(lockfile, parent, name);
      // With another name, an override replaces the platform package.
      if (locked.some((one) => one.version === version || one.name !== undefined)) continue;
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

/** Resolves `name` from `parent`, from its own node_modules outwards. */
function lockedPackages(lockfile: Lockfile, parent: string, name: string): LockedPackage[] {
  const folders = parent
    .split('/node_modules/')
    .map((_, depth, parts) => parts.slice(0, depth + 1).join('/node_modules/'));
  return ['', ...folders.map((folder) => `${folder}/`)]
    .map((folder) => lockfile.packages[`${folder}node_modules/${name}`])
    .flatMap((found) => (found === undefined ? [] : [found]));
}

/** The names of platform packages end with the platform, as in `@biomejs/cli-linux-x64-musl`. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> | undefined {
  const { os, cpu, abi } = PLATFORM.exec(name)?.groups ?? {};
  if (os === undefined || cpu === undefined) return undefined;
  if (os !== 'linux') return { os: [os], cpu: [cpu] };
  return { os: [os], cpu: [cpu], libc: [abi?.startsWith('musl') ? 'musl' : 'glibc'] };
}
