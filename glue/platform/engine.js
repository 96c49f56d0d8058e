/** Recognizes engines by their behaviour. The user agent string is wrong in a tab where a developer emulates a device. */

export const isSpiderMonkey = () => 'lineNumber' in new Error();

/** Whether the engine is V8 or SpiderMonkey; false in JavaScriptCore. */
export const isKnownEngine = () => isSpiderMonkey() || !/\n/.test(Function.prototype.toString.call(Object));
