export function makeApp(){}
