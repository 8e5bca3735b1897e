export { type Config, findKey, NO_CONFIG, parseConfig, setConfig } from "./config.ts";
export { CONFIG_KEYS, type ConfigKey, type ValueKind } from "./keys.ts";
export { formatKeyPath } from "./path.ts";
