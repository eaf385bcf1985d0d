import type uPlotLibrary from 'uplot';

declare global {
  /** uPlot's own script runs before the page's */
  const uPlot: typeof uPlotLibrary;
}
