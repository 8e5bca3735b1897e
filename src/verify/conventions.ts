import { matcher } from "./globs.ts";

/** Globs that say, by the habits of each ecosystem, what judges the work and is not the work. Data. */

const JS = "{js,jsx,ts,tsx,mjs,cjs,mts,cts}";

/** Files that hold tests, and what lives only for them. */
export const TEST_GLOBS: readonly string[] = [
  `**/*.{test,spec,test-d,spec-d,e2e}.${JS}`,
  `**/*{-,_}{test,spec}.${JS}`,
  `**/test-*.${JS}`,
  `**/test.${JS}`,
  "**/{__tests__,__mocks__,__snapshots__,__fixtures__,testdata}/**",
  "**/*.snap",
  "**/{test,tests}/**",
  "**/{cypress,e2e}/**/*.{cy,spec,test,feature}*",
  "**/test_*.py",
  "**/*_test.py",
  "**/tests.py",
  "**/*_test.go",
  "**/src/{test,testFixtures,integrationTest}/**",
  "**/*{Test,Tests,IT}.{java,kt,kts,groovy,scala,cs,php}",
  "**/*.{Test,Tests}/**",
  "**/*_{spec,test}.rb",
  "**/spec/{spec_helper,rails_helper}.rb",
  "**/spec/{support,fixtures,factories}/**/*.{rb,yml,yaml,json}",
  "**/*_test.{exs,dart,cc,cpp,c}",
  "**/Tests/**/*.swift",
];

/** Folders that are test data when tests are beside them. */
export const FIXTURE_FOLDERS: readonly string[] = ["fixtures", "test-fixtures", "test-data", "snapshots"];

/** Where package managers put what others wrote: a runner lives there, so where it is tracked it is protected. */
export const DEPENDENCY_FOLDER =
  /(^|\/)(node_modules|bower_components|jspm_packages|__pypackages__|\.?venv)\//;

/** Configuration of runners, and files that a runner or package manager loads and runs without being asked. */
export const RUNNER_GLOBS: readonly string[] = [
  "**/node_modules/.bin/**",
  "**/{vitest,jest,playwright,cypress,karma,wdio,ava,tap,web-test-runner,babel,stryker}.config.*",
  "**/{vitest,jest}.{workspace,setup,preset,shims}*",
  "**/{setupTests,jest-setup,vitest-setup}.*",
  "**/{.mocharc,.nycrc,.c8rc,.taprc,.babelrc,.swcrc,.jestrc,.rspec}*",
  "**/{.npmrc,.yarnrc,.yarnrc.yml,.pnpmfile.*,bunfig.toml}",
  ".yarn/{releases,plugins,sdks,patches}/**",
  "{turbo,nx,lerna,wireit}.json",
  "**/{Makefile,makefile,GNUmakefile,justfile,Justfile,.justfile,Rakefile}",
  "{Taskfile,taskfile}.{yml,yaml}",
  "**/{pytest.ini,.pytest.ini,tox.ini,noxfile.py,conftest.py,.coveragerc,sitecustomize.py,usercustomize.py}",
  "**/*.pth",
  "**/phpunit.xml*",
  "**/.cargo/**",
  "{rust-toolchain,rust-toolchain.toml,clippy.toml,.clippy.toml}",
  "**/.config/nextest.toml",
  "{.nvmrc,.node-version,.python-version,.ruby-version,.tool-versions,mise.toml,.mise.toml}",
];

export const CI_GLOBS: readonly string[] = [
  ".github/{workflows,actions,scripts}/**",
  "{.circleci,.buildkite,.gitlab,.forgejo,.gitea}/**",
  "{.gitlab-ci,.travis,azure-pipelines,bitbucket-pipelines,.drone,.appveyor,appveyor}.{yml,yaml}",
  "{Jenkinsfile,.cirrus.yml,cloudbuild.yaml}",
];

export const OUR_GLOBS: readonly string[] = [".loopwright/**", "loop.{yaml,yml,md}"];

/** Configuration of a tool that is protected when a check runs that tool. */
export const TOOL_CONFIG: readonly { readonly tool: RegExp; readonly globs: readonly string[] }[] = [
  { tool: /\beslint\b/, globs: ["**/eslint.config.*", "**/.eslintrc*", "**/.eslintignore"] },
  { tool: /\bprettier\b/, globs: ["**/prettier.config.*", "**/.prettierrc*", "**/.prettierignore"] },
  { tool: /\bbiome\b/, globs: ["**/biome.json*", "**/.biome.json*"] },
  { tool: /\b(oxlint)\b/, globs: ["**/.oxlintrc.json"] },
  { tool: /\b(tsc|vue-tsc|tsgo)\b/, globs: ["**/tsconfig*.json"] },
  { tool: /\bstylelint\b/, globs: ["**/.stylelintrc*", "**/stylelint.config.*"] },
  {
    tool: /\b(knip|depcheck|size-limit)\b/,
    globs: ["**/knip.{json,jsonc,ts,js}", "**/.depcheckrc*", "**/.size-limit.*"],
  },
  { tool: /\bruff\b/, globs: ["**/{ruff,.ruff}.toml"] },
  { tool: /\bmypy\b/, globs: ["**/{mypy,.mypy}.ini"] },
  { tool: /\b(based)?pyright\b/, globs: ["**/pyrightconfig.json"] },
  { tool: /\bpylint\b/, globs: ["**/{pylintrc,.pylintrc}*"] },
  { tool: /\bflake8\b/, globs: ["**/.flake8"] },
  { tool: /\bgolangci-lint\b/, globs: ["**/.golangci.{yml,yaml,toml,json}"] },
  { tool: /\brustfmt\b|\bcargo fmt\b/, globs: ["**/{rustfmt,.rustfmt}.toml"] },
  { tool: /\brubocop\b/, globs: ["**/.rubocop*"] },
  { tool: /\bphpstan\b/, globs: ["**/phpstan*.neon*"] },
  { tool: /\bpre-commit\b/, globs: ["**/.pre-commit-config.yaml"] },
];

/** Folders whose files are scripts about the work rather than the work. */
export const SCRIPT_FOLDER = /(^|\/)(scripts?|tools?|ci|\.ci|hack|checks?|bench|benchmarks?)\//;
export const SCRIPT_EXTENSION = /\.(sh|bash|zsh|fish|ps1|bat|cmd|mk)$/;
export const CHECKING_NAME = /(^|[-_.])(check|verify|validate|lint|test|tests|bench|gate|smoke|ci)([-_.]|$)/i;
export const CONFIG_NAME = /(\.(ini|cfg|conf)$)|((^|[-_.])(config|rc)[-_.])|(rc(\.(json|ya?ml|toml))?$)/i;

/** Whether a path is a test file, or exists only for tests, by runner convention. */
export const isTestPath: (path: string) => boolean = matcher(TEST_GLOBS);
