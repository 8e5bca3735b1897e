export { type Config, findKey, parseConfig, setConfig } from "./config.ts";
export { declaredFeatures } from "./declared-features.ts";
export { CONFIG_KEYS } from "./keys.ts";
export { formatKeyPath } from "./path.ts";
