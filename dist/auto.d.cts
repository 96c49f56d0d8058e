/** lockkeeper/auto: installs navigator.locks where it is missing, by being imported. */
export {};
