import type uPlotLibrary from 'uplot';

declare global {
  /** uPlot's own script stands before the page's */
  const uPlot: typeof uPlotLibrary;
}
