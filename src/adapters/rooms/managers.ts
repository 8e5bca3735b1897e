/** A folder outside the checkout that a manager fills, and the variable that names it to its tools. */
export interface Store {
  readonly name: string;
  readonly variable: string;
}

export interface Manager {
  readonly name: string;
  /** The program that installs; it must be on the frozen PATH. */
  readonly command: string;
  readonly locks: readonly string[];
  /** Files besides the locks that say what is installed, by name, anywhere below the lock's folder. */
  readonly manifests: readonly string[];
  readonly stores: readonly Store[];
  /** It fills a folder of the checkout, rather than a store outside. */
  readonly fillsCheckout: boolean;
  /** Exact argument lists that install what the lock says. */
  readonly install: readonly (readonly string[])[];
}

/** In order of precedence among managers of one ecosystem in one folder: the first lock that is found counts. */
export const MANAGERS: readonly Manager[] = [
  {
    name: "bun",
    command: "bun",
    locks: ["bun.lock", "bun.lockb"],
    manifests: ["package.json"],
    stores: [],
    fillsCheckout: true,
    install: [["bun", "install", "--frozen-lockfile"]],
  },
  {
    name: "pnpm",
    command: "pnpm",
    locks: ["pnpm-lock.yaml"],
    manifests: ["package.json", "pnpm-workspace.yaml"],
    stores: [],
    fillsCheckout: true,
    install: [["pnpm", "install", "--frozen-lockfile"]],
  },
  {
    name: "yarn",
    command: "yarn",
    locks: ["yarn.lock"],
    manifests: ["package.json"],
    stores: [],
    fillsCheckout: true,
    install: [["yarn", "install", "--frozen-lockfile"]],
  },
  {
    name: "npm",
    command: "npm",
    locks: ["package-lock.json", "npm-shrinkwrap.json"],
    manifests: ["package.json"],
    stores: [],
    fillsCheckout: true,
    install: [["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]],
  },
  {
    name: "uv",
    command: "uv",
    locks: ["uv.lock"],
    manifests: ["pyproject.toml"],
    stores: [],
    fillsCheckout: true,
    install: [["uv", "sync", "--frozen", "--no-install-workspace"]],
  },
  {
    name: "poetry",
    command: "poetry",
    locks: ["poetry.lock"],
    manifests: ["pyproject.toml"],
    stores: [],
    fillsCheckout: true,
    install: [["poetry", "install", "--no-root", "--no-interaction"]],
  },
  {
    name: "pip",
    command: "python3",
    locks: ["requirements.txt"],
    manifests: [
      "requirements-dev.txt",
      "requirements-test.txt",
      "requirements_dev.txt",
      "dev-requirements.txt",
      "test-requirements.txt",
      "constraints.txt",
    ],
    stores: [],
    fillsCheckout: true,
    install: [["python3", "-m", "venv", ".venv"]],
  },
  {
    name: "cargo",
    command: "cargo",
    locks: ["Cargo.lock"],
    manifests: ["Cargo.toml"],
    stores: [{ name: "cargo", variable: "CARGO_HOME" }],
    fillsCheckout: false,
    install: [["cargo", "fetch", "--locked"]],
  },
  {
    name: "go",
    command: "go",
    locks: ["go.sum", "go.work.sum"],
    manifests: ["go.mod", "go.work"],
    stores: [{ name: "go", variable: "GOMODCACHE" }],
    fillsCheckout: false,
    install: [["go", "mod", "download"]],
  },
  {
    name: "bundler",
    command: "bundle",
    locks: ["Gemfile.lock", "gems.locked"],
    manifests: ["Gemfile", "gems.rb"],
    stores: [{ name: "bundle", variable: "BUNDLE_PATH" }],
    fillsCheckout: false,
    install: [["bundle", "install"]],
  },
  {
    name: "composer",
    command: "composer",
    locks: ["composer.lock"],
    manifests: ["composer.json"],
    stores: [],
    fillsCheckout: true,
    install: [["composer", "install", "--no-interaction"]],
  },
  {
    name: "maven",
    command: "mvn",
    locks: ["pom.xml"],
    manifests: ["pom.xml"],
    stores: [{ name: "maven", variable: "MAVEN_ARGS" }],
    fillsCheckout: false,
    install: [["mvn", "-B", "-q", "dependency:go-offline"]],
  },
  {
    name: "gradle",
    command: "gradle",
    locks: ["gradle.lockfile", "build.gradle", "build.gradle.kts"],
    manifests: [
      "settings.gradle",
      "settings.gradle.kts",
      "build.gradle",
      "build.gradle.kts",
      "gradle.lockfile",
    ],
    stores: [{ name: "gradle", variable: "GRADLE_USER_HOME" }],
    fillsCheckout: false,
    install: [["gradle", "--no-daemon", "-q", "dependencies"]],
  },
];

const JAVASCRIPT = ["bun", "pnpm", "yarn", "npm"];
const PYTHON = ["uv", "poetry", "pip"];

/** The managers that would fill the same folder: only one of them is used. */
export function ecosystemOf(manager: string): string {
  if (JAVASCRIPT.includes(manager)) return "javascript";
  if (PYTHON.includes(manager)) return "python";
  return manager;
}
