# Labels of R's flexmix: a mixture of regressions on natural splines, its number chosen by BIC.
# Rscript flexmix.R SEED FIRST LAST; rows of causes and effect come in as CSV. Prints the CPU
# seconds of the fit, then the labels.
suppressMessages(library(flexmix))
suppressMessages(library(splines))
arguments <- as.integer(commandArgs(trailingOnly = TRUE))
set.seed(arguments[1])
data <- read.csv(file("stdin"), header = FALSE)
causes <- names(data)[-ncol(data)]
names(data)[ncol(data)] <- "y"
# A cause of few values cannot have more columns than values.
term <- function(cause) if (length(unique(data[[cause]])) > 5) sprintf("ns(%s, 4)", cause) else cause
formula <- as.formula(paste("y ~", paste(sapply(causes, term), collapse = " + ")))
begin <- proc.time()
fit <- initFlexmix(formula, data = data, k = arguments[2]:arguments[3], nrep = 5, verbose = FALSE)
if (is(fit, "stepFlexmix")) fit <- getModel(fit, "BIC")
cat((proc.time() - begin)[["user.self"]], "\n")
cat(clusters(fit), "\n")
